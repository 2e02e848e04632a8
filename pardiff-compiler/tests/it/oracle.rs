//! What a program computes and how fast it changes: the lowered primal, interpreted over floats, over dual numbers,
//! and over dual numbers modulo a prime.

use crate::racing::run;
use crate::random::inputs::{Arguments, Data};
use crate::random::program::{Program as Source, Ty as SourceTy};
use pardiff_compiler::ir::interp::{Array, Dual, Fault, Given, ModPrime, Number, Outcome, Value};
use pardiff_compiler::ir::{BinOp, Float, Func, OpaqueId, Program, Role};

/// A kind of number that carries a tangent.
pub trait Tangent: Number {
    /// The kind without.
    type Plain: Number;
    /// A value with a tangent.
    fn with(value: Self::Plain, tangent: Self::Plain) -> Self;
    /// The tangent.
    fn tangent(self) -> Self::Plain;
}

impl Tangent for Dual {
    type Plain = f64;
    fn with(value: f64, tangent: f64) -> Dual {
        Dual::new(value, tangent)
    }
    fn tangent(self) -> f64 {
        self.tangent
    }
}

/// A dual number modulo a prime: derivatives of programs of `+ - *`, exactly.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ModDual {
    value: ModPrime,
    tangent: ModPrime,
}

impl Tangent for ModDual {
    type Plain = ModPrime;
    fn with(value: ModPrime, tangent: ModPrime) -> ModDual {
        ModDual { value, tangent }
    }
    fn tangent(self) -> ModPrime {
        self.tangent
    }
}

impl Number for ModDual {
    fn constant(value: f64) -> ModDual {
        ModDual { value: ModPrime::constant(value), tangent: ModPrime::new(0) }
    }
    fn from_int(value: i128, float: Float) -> ModDual {
        ModDual { value: ModPrime::from_int(value, float), tangent: ModPrime::new(0) }
    }
    fn real(self) -> Option<f64> {
        None
    }
    fn cast(self, _: Float) -> ModDual {
        self
    }
    fn neg(self) -> ModDual {
        ModDual { value: self.value.neg(), tangent: self.tangent.neg() }
    }
    fn arithmetic(op: BinOp, a: ModDual, b: ModDual, float: Float) -> Option<ModDual> {
        let value = ModPrime::arithmetic(op, a.value, b.value, float)?;
        let tangent = match op {
            BinOp::Mul => add(times(a.tangent, b.value), times(a.value, b.tangent)),
            _ => ModPrime::arithmetic(op, a.tangent, b.tangent, float)?,
        };
        Some(ModDual { value, tangent })
    }
    fn call(_: Func, _: &[ModDual], _: Float) -> Option<ModDual> {
        None
    }
    fn powi(self, _: i32, _: Float) -> Option<ModDual> {
        None
    }
}

/// `a + b`
pub fn add<N: Number>(a: N, b: N) -> N {
    N::arithmetic(BinOp::Add, a, b, Float::F64).unwrap_or(a)
}

/// `a * b`
pub fn times<N: Number>(a: N, b: N) -> N {
    N::arithmetic(BinOp::Mul, a, b, Float::F64).unwrap_or(a)
}

/// Arguments as the interpreter takes them.
pub fn arrays<N: Number>(args: &Arguments) -> Vec<Array<N>> {
    let list = args.list.iter().map(|arg| {
        let data = match &arg.data {
            Data::Floats(values) => values.iter().map(|&x| Some(Value::Float(N::constant(x)))).collect(),
            Data::Ints(values) if arg.ty == SourceTy::Bool => {
                values.iter().map(|&x| Some(Value::Bool(x != 0))).collect()
            }
            Data::Ints(values) => values.iter().map(|&x| Some(Value::Int(i128::from(x)))).collect(),
        };
        Array { dims: arg.dims.clone(), data }
    });
    list.collect()
}

/// What stands behind the user paths of `program`: the constants of the source, and the const generic parameter.
pub fn path<N: Number>(
    source: &Source,
    args: &Arguments,
    program: &Program,
    opaque: OpaqueId,
) -> Option<Given<N>> {
    // `Fixed::C` is the constant `C` in the program's other clothes
    let text = program[opaque].text.rsplit("::").next()?;
    if source.main.generic.as_deref() == Some(text) {
        return Some(Given::Value(Value::Int(args.generic as i128)));
    }
    let constant = source.consts.iter().find(|constant| constant.name == text)?;
    let value = |x: &f64| Value::Float(N::constant(*x));
    Some(if constant.table {
        Given::Table(Array::of(constant.values.iter().map(value)))
    } else {
        Given::Value(value(&constant.values[0]))
    })
}

/// Runs a program over arguments of its own, in race mode as well where it is scheduled.
pub fn execute<N: Number>(
    source: &Source,
    args: &Arguments,
    program: &Program,
    values: Vec<Array<N>>,
) -> Result<Outcome<N>, Fault> {
    run(program, values, &|opaque| path(source, args, program, opaque))
}

/// The floats of an array; `None` if it holds none.
pub fn floats<N: Number>(array: &Array<N>) -> Option<Vec<N>> {
    let value = |value: &Option<Value<N>>| match value {
        Some(Value::Float(x)) => Some(*x),
        _ => None,
    };
    array.data.iter().map(value).collect()
}

/// An array of floats.
pub fn array<N: Number>(dims: &[usize], data: &[N]) -> Array<N> {
    Array { dims: dims.to_vec(), data: data.iter().map(|&x| Some(Value::Float(x))).collect() }
}

/// Everything that comes out: `&mut` float parameters, then float results.
pub fn outputs<N: Number>(program: &Program, outcome: &Outcome<N>) -> Vec<Array<N>> {
    let params = program.params.iter().zip(&outcome.params);
    let inout = params.filter(|(id, _)| program[**id].role == Role::InOut && program[**id].elem.is_float());
    let results = program.results.iter().zip(&outcome.results);
    let results = results.filter(|(id, _)| program[**id].elem.is_float());
    inout.chain(results).map(|(_, array)| array.clone()).collect()
}

/// The tangents of the outputs along `direction`, which has one vector for each float parameter, in order.
pub fn jvp<T: Tangent>(
    source: &Source,
    args: &Arguments,
    program: &Program,
    direction: &[Vec<T::Plain>],
) -> Result<Vec<Vec<T::Plain>>, Fault> {
    let mut values: Vec<Array<T>> = arrays(args);
    let plain: Vec<Array<T::Plain>> = arrays(args);
    let is_float = |k: &usize| program[program.params[*k]].elem.is_float();
    for (k, along) in (0..values.len()).filter(is_float).zip(direction) {
        let pairs = floats(&plain[k]).unwrap_or_default().into_iter().zip(along);
        let duals: Vec<T> = pairs.map(|(value, &tangent)| T::with(value, tangent)).collect();
        values[k] = array(&plain[k].dims, &duals);
    }
    let outcome = execute(source, args, program, values)?;
    let tangents = |array: &Array<T>| floats(array).unwrap_or_default().into_iter().map(T::tangent).collect();
    Ok(outputs(program, &outcome).iter().map(tangents).collect())
}
