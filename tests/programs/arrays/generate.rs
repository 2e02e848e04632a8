//! Random programs whose parameters are arrays of `ndarray` of every kind, and a test of each against differences.
//!
//! Loops over time around loops over rows and columns, in order and in tasks, next to nests of more work: of the same array a
//! row is written in one loop and read in another.

use std::fmt::Write;

/// Elements of a dimension.
const SIZE: usize = 4;

/// A generator of small numbers (SplitMix64).
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// How an array is handed over.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Array,
    ArrayMut,
    View,
    ViewMut,
    RefView,
    RefViewMut,
}

struct Param {
    name: String,
    kind: Kind,
    rank: usize,
}

impl Kind {
    fn is_mutable(self) -> bool {
        matches!(self, Kind::ArrayMut | Kind::ViewMut | Kind::RefViewMut)
    }

    fn ty(self, rank: usize) -> String {
        match self {
            Kind::Array => format!("&Array{rank}<f64>"),
            Kind::ArrayMut => format!("&mut Array{rank}<f64>"),
            Kind::View => format!("ArrayView{rank}<f64>"),
            Kind::ViewMut => format!("ArrayViewMut{rank}<f64>"),
            Kind::RefView => format!("&ArrayView{rank}<f64>"),
            Kind::RefViewMut => format!("&mut ArrayViewMut{rank}<f64>"),
        }
    }

    fn argument(self, name: &str) -> String {
        match self {
            Kind::Array => format!("&{name}"),
            Kind::ArrayMut => format!("&mut {name}"),
            Kind::View => format!("{name}.view()"),
            Kind::ViewMut => format!("{name}.view_mut()"),
            Kind::RefView => format!("&{name}.view()"),
            Kind::RefViewMut => format!("&mut {name}.view_mut()"),
        }
    }

    /// The kind of the adjoint.
    fn adjoint(self) -> Kind {
        match self {
            Kind::Array => Kind::ArrayMut,
            Kind::View => Kind::ViewMut,
            Kind::RefView => Kind::RefViewMut,
            mutable => mutable,
        }
    }
}

/// A function in the making.
struct Body {
    draw: Draw,
    params: Vec<Param>,
    loops: usize,
}

impl Body {
    fn element(&mut self, iters: &[String], mutable: bool) -> String {
        let fitting: Vec<usize> =
            (0..self.params.len()).filter(|&at| !mutable || self.params[at].kind.is_mutable()).collect();
        let at = fitting[self.draw.below(fitting.len())];
        let index: Vec<String> = (0..self.params[at].rank)
            .map(|_| {
                let iter = &iters[self.draw.below(iters.len())];
                match self.draw.below(10) {
                    0 => format!("({iter} + 1) % n"),
                    1 => self.draw.below(SIZE).to_string(),
                    2 => format!("n - 1 - {iter}"),
                    _ => iter.clone(),
                }
            })
            .collect();
        let name = &self.params[at].name;
        if index.len() == 1 {
            format!("{name}[{}]", index[0])
        } else {
            format!("{name}[[{}]]", index.join(", "))
        }
    }

    fn value(&mut self, iters: &[String], depth: usize) -> String {
        match self.draw.below(if depth == 0 { 1 } else { 6 }) {
            0 | 1 => self.element(iters, false),
            2 => format!("{} * {}", self.value(iters, depth - 1), self.value(iters, depth - 1)),
            3 => format!("({} + {})", self.value(iters, depth - 1), self.value(iters, depth - 1)),
            4 => format!("({} - 0.5_f64)", self.value(iters, depth - 1)),
            _ => {
                let function = self.draw.of(&["sin", "cos", "tanh"]);
                format!("({}).{function}()", self.value(iters, depth - 1))
            }
        }
    }

    fn store(&mut self, iters: &[String]) -> String {
        let (target, op) = (self.element(iters, true), self.draw.of(&["=", "+=", "-="]));
        format!("{target} {op} 0.3 * ({}).sin();", self.value(iters, 2))
    }

    fn nest(&mut self, iters: &[String], depth: usize) -> String {
        let iter = format!("i{}", self.loops);
        self.loops += 1;
        let inner: Vec<String> = iters.iter().cloned().chain([iter.clone()]).collect();
        let statements = 1 + self.draw.below(2);
        let body: String = (0..statements)
            .map(|_| {
                if depth > 0 && self.draw.percent(60) {
                    self.nest(&inner, depth - 1)
                } else {
                    self.store(&inner)
                }
            })
            .collect();
        let range = self.draw.of(&["0..n", "0..n", "0..4", "1..n", "0..n - 1"]);
        format!("for {iter} in {range} {{ {body} }}\n")
    }

    /// A nest next to which others have little work.
    fn large_nest(&mut self) -> String {
        let iters = ["p".to_owned(), "q".to_owned()];
        let store = self.store(&iters);
        format!("for p in 0..n {{ for q in 0..n {{ for _ in 0..n {{ {store} }} }} }}\n")
    }

    fn function(&mut self) -> String {
        let mut body = String::new();
        for _ in 0..1 + self.draw.below(2) {
            let depth = self.draw.below(3);
            let mut nest = self.nest(&[], depth);
            if self.draw.percent(50) {
                nest += &self.large_nest();
            }
            body += &if self.draw.percent(60) { format!("for _ in 0..steps {{\n{nest}}}\n") } else { nest };
        }
        let params = self.params.iter().map(|it| {
            let binding = if it.kind == Kind::ViewMut { "mut " } else { "" };
            format!(", {binding}{}: {}", it.name, it.kind.ty(it.rank))
        });
        format!("fn f(n: usize, steps: usize{}) {{\n{body}}}\n", params.collect::<String>())
    }
}

/// So many programs from the first seed on, each a module with its test.
pub fn programs(first: u64, count: u64) -> String {
    (first..first + count).map(program).collect()
}

fn program(seed: u64) -> String {
    use Kind::*;
    let mut draw = Draw(seed);
    let kinds = [Array, ArrayMut, ArrayMut, View, ViewMut, ViewMut, RefView, RefViewMut];
    let mut params: Vec<Param> = (0..1 + draw.below(3))
        .map(|at| Param { name: format!("a{at}"), kind: kinds[draw.below(8)], rank: 1 + draw.below(3) })
        .collect();
    if !params.iter().any(|it| it.kind.is_mutable()) {
        params.push(Param { name: "w".to_owned(), kind: kinds[1 + draw.below(2)], rank: 1 + draw.below(3) });
    }
    let mut body = Body { draw, params, loops: 0 };
    let function = body.function();
    let mut out = format!("mod arrays_{seed} {{\nuse ndarray::*;\n#[pardiff::differentiate]\n{function}");
    let (mut made, mut plain, mut adjoint, mut sum) =
        (String::new(), String::new(), String::new(), String::new());
    let (mut adjoints, mut gradients) = (String::new(), Vec::new());
    for (at, it) in body.params.iter().enumerate() {
        let name = &it.name;
        let shape = vec!["4"; it.rank].join(", ");
        let _ = writeln!(
            made,
            "let mut {name} = Array::from_shape_vec([{shape}], at[{at}].clone()).expect(\"a shape\");"
        );
        let _ = write!(plain, ", {}", it.kind.argument(name));
        let start = if it.kind.is_mutable() {
            let _ = writeln!(
                sum,
                "sum += {name}.iter().zip(super::seeds({name}.len())).map(|(x, s)| x * s).sum::<f64>();"
            );
            format!("super::seeds({name}.len())")
        } else {
            format!("vec![0.0; {name}.len()]")
        };
        let _ = writeln!(
            adjoints,
            "let mut d_{name} = Array::from_shape_vec([{shape}], {start}).expect(\"a shape\");"
        );
        let _ = write!(
            adjoint,
            ", {}, {}",
            it.kind.argument(name),
            it.kind.adjoint().argument(&format!("d_{name}"))
        );
        gradients.push(format!("d_{name}.as_slice().expect(\"dense\")"));
    }
    let lengths: Vec<String> = body.params.iter().map(|it| SIZE.pow(it.rank as u32).to_string()).collect();
    let _ = write!(
        out,
        "#[test]
fn agrees_with_differences() {{
    let inputs = super::inputs(&[{}]);
    let value = |at: &[Vec<f64>]| -> f64 {{
        {made} f({SIZE}, 2{plain});
        let mut sum = 0.0;
        {sum} sum
    }};
    let at = &inputs;
    {made} {adjoints} f::vjp({SIZE}, 2{adjoint});
    let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    pardiff_programs::check(value, &inputs, &[{}]);
}}
}}
",
        lengths.join(", "),
        gradients.join(", ")
    );
    out
}
