//! The functions that expressions may call. Each is one row of [`table`]; everything that the compiler knows of a
//! function is said there, or follows from it.

mod row;
mod rule;
mod table;

pub use row::{Cost, Cuda, Kind, Lanes, Row, Value};
pub use rule::{Contribution, Rule, contributions};
pub use table::Func;

use super::{Expr, ExprKind, Float, Int, IterId, Ty};

impl Func {
    /// The name of the method in Rust, or of the runtime's function.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The number of operands, the receiver included.
    pub fn arity(self) -> usize {
        self.row().arity
    }

    /// Operands and result.
    pub fn kind(self) -> Kind {
        self.row().kind
    }

    /// Whether it returns for every operand, in debug builds as well: a partial function must not be evaluated where
    /// the source did not evaluate it.
    pub fn is_total(self) -> bool {
        self.row().total
    }

    /// The work of one call.
    pub fn cost(self) -> Cost {
        self.row().cost
    }

    /// The runtime's branch-free function of the same value to rounding, for scalars and lanes.
    pub fn polynomial(self) -> Option<&'static str> {
        match self.row().lanes {
            Lanes::Polynomial(name) => Some(name),
            _ => None,
        }
    }

    /// Whether the runtime has it for vectors, with exactly the bits of std.
    pub fn is_exact_in_lanes(self) -> bool {
        self.row().lanes == Lanes::Exact
    }

    /// Whether a row of its derivative has a condition.
    pub fn has_guards(self) -> bool {
        self.symbolic_rule().iter().any(|row| row.when.is_some())
    }

    /// The functions that its derivative calls with its own operands: `cos` for `sin`.
    pub fn twins(self) -> Vec<Func> {
        let operands = self.symbols();
        let mut twins = Vec::new();
        for row in self.symbolic_rule() {
            row.adjoint.walk(&mut |node| match &node.kind {
                ExprKind::Call(func, _, args) if *func != self && *args == operands => twins.push(*func),
                _ => {}
            });
        }
        twins
    }

    /// The derivative for operands of which nothing is known.
    fn symbolic_rule(self) -> Vec<Contribution> {
        let one = Expr::float(Ty::F64, 1.0);
        contributions(self, Ty::F64, &self.symbols(), &mut || one.clone(), &|_| one.clone())
    }

    /// Operands that are equal to nothing else.
    fn symbols(self) -> Vec<Expr> {
        (0..self.arity()).map(|k| Expr::iter(IterId(k as u32), self.operand_ty(k, Ty::F64))).collect()
    }

    /// The type of operand `k` where the first operand has type `first`.
    pub fn operand_ty(self, k: usize, first: Ty) -> Ty {
        match (self, k) {
            (_, 0) => first,
            (Func::TripCount, 2) => Ty::USIZE,
            (_, 1) => self.row().second.unwrap_or(first),
            _ => first,
        }
    }

    /// The type of the result where it does not depend on the operands' types.
    pub fn fixed_result_ty(self) -> Option<Ty> {
        self.row().result
    }

    /// The type of the result where the first operand has type `first`.
    pub fn result_ty(self, first: Ty) -> Ty {
        match (self, first) {
            (Func::AbsDiff | Func::UnsignedAbs, Ty::Int(int)) => Ty::Int(int.unsigned()),
            _ => self.fixed_result_ty().unwrap_or(first),
        }
    }

    /// The function that a path of `libm`, of `statrs` or of the facade's `math` names, and its float type where the name says
    /// it. The values are the same to rounding.
    pub fn from_path(path: &[&str]) -> Option<(Func, Option<Float>)> {
        let find = |test: &dyn Fn(&Row) -> bool| Func::ALL.iter().copied().find(|func| test(func.row()));
        let libm = |name: &str| find(&|row| row.libm.contains(&name));
        match *path {
            ["libm", name] => match (libm(name), name.strip_suffix('f')) {
                (Some(func), _) => Some((func, Some(Float::F64))),
                (None, name) => Some((libm(name?)?, Some(Float::F32))),
            },
            ["statrs", "function", module, name] => {
                Some((find(&|row| row.statrs == Some([module, name]))?, Some(Float::F64)))
            }
            ["pardiff", "math", name] => {
                Some((find(&|row| !row.method && row.kind == Kind::Float && row.name == name)?, None))
            }
            _ => None,
        }
    }

    /// The function of that name in the IR's text form.
    pub fn from_name(name: &str) -> Option<Func> {
        let mut named = Func::ALL.iter().copied();
        named.find(|func| func.text() == name)
    }

    /// The name in the IR's text form: the method's name, made unique by a prefix where floats share it.
    pub fn text(self) -> &'static str {
        self.row().text
    }
}

const I32: Ty = Ty::Int(Int::I32);
const U32: Ty = Ty::Int(Int::U32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_names_are_unique() {
        for &func in Func::ALL {
            assert_eq!(Func::from_name(func.text()), Some(func));
        }
    }

    #[test]
    fn guards_and_twins_follow_from_the_derivative() {
        assert!(Func::Abs.has_guards() && Func::Powi.has_guards() && !Func::Exp.has_guards());
        assert_eq!(Func::Sin.twins(), [Func::Cos]);
        assert_eq!(Func::ExpM1.twins(), [Func::Exp]);
        // `ln(x)` of `powf(x, y)` has other operands
        assert_eq!(Func::Powf.twins(), []);
    }

    #[test]
    fn paths_name_functions() {
        let of = |path: &str| Func::from_path(&path.split("::").collect::<Vec<_>>());
        assert_eq!(of("libm::fabs"), Some((Func::Abs, Some(Float::F64))));
        assert_eq!(of("libm::fabsf"), Some((Func::Abs, Some(Float::F32))));
        assert_eq!(of("libm::erf"), Some((Func::Erf, Some(Float::F64))));
        assert_eq!(of("libm::erff"), Some((Func::Erf, Some(Float::F32))));
        assert_eq!(of("statrs::function::gamma::ln_gamma"), Some((Func::LnGamma, Some(Float::F64))));
        assert_eq!(of("pardiff::math::j0"), Some((Func::J0, None)));
        assert_eq!(
            [of("libm::abs"), of("pardiff::math::exp"), of("pardiff::math::trip_count"), of("erf")],
            [None; 4]
        );
    }
}
