//! Expressions.

use super::fault::{Fault, FaultKind};
use super::machine::Machine;
use super::{Number, Value, ints};
use crate::ir::{BinOp, Expr, ExprKind, Func, FuncValue, Int, Kind, Ty, UnOp};

impl<N: Number> Machine<'_, N> {
    pub(super) fn eval(&self, expr: &Expr) -> Result<Value<N>, Fault> {
        match &expr.kind {
            ExprKind::Float(value) => Ok(Value::Float(N::constant(*value))),
            ExprKind::Int(value) => Ok(Value::Int(*value)),
            ExprKind::Bool(value) => Ok(Value::Bool(*value)),
            ExprKind::Opaque(id) => match self.opaques.get(id.0 as usize) {
                Some(Some(value)) => Ok(*value),
                _ => Err(Fault::new(FaultKind::Arguments, "a user path without a value")),
            },
            ExprKind::Iter(id) => match self.iters.get(id.0 as usize) {
                Some(Some(value)) => Ok(Value::Int(*value)),
                _ => Err(Fault::unsupported("an iterator is used outside its loop")),
            },
            ExprKind::Extent(id, dim) => match self.array(*id)?.dims.get(*dim) {
                Some(&extent) => Ok(Value::Int(extent as i128)),
                None => Err(Fault::unsupported("an extent of a dimension that does not exist")),
            },
            ExprKind::Load(place) => self.load(place),
            ExprKind::Unary(op, operand) => {
                let value = self.eval(operand)?;
                self.unary(*op, expr.ty, value)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (left, right) = (self.eval(lhs)?, self.eval(rhs)?);
                self.binary(*op, lhs.ty, left, right)
            }
            ExprKind::Call(func, _, args) => {
                let mut values = [Value::Bool(false); 3];
                if args.len() != func.arity() || args.len() > values.len() {
                    return Err(ill_typed());
                }
                for (value, arg) in values.iter_mut().zip(args) {
                    *value = self.eval(arg)?;
                }
                let first = args.first().map_or(expr.ty, |arg| arg.ty);
                self.call(*func, first, expr.ty, &values[..args.len()])
            }
            ExprKind::Apply(id, args) => {
                let Some(Some(function)) = self.functions.get(id.0 as usize) else {
                    return Err(Fault::new(FaultKind::Arguments, "a user's function that is not given"));
                };
                let args = args.iter().map(|arg| self.eval(arg)).collect::<Result<Vec<_>, _>>()?;
                let value = function(&args);
                if value.fits(expr.ty) { Ok(value) } else { Err(ill_typed()) }
            }
            ExprKind::Cast(operand) => {
                let value = self.eval(operand)?;
                cast(value, operand.ty, expr.ty)
            }
            ExprKind::Select(parts) => {
                let [cond, yes, no] = &**parts;
                let (cond, yes, no) = (self.truth(cond)?, self.eval(yes)?, self.eval(no)?);
                Ok(if cond { yes } else { no })
            }
        }
    }

    /// The value of an integer expression.
    pub(super) fn int(&self, expr: &Expr) -> Result<i128, Fault> {
        match self.eval(expr)? {
            Value::Int(value) => Ok(value),
            _ => Err(ill_typed()),
        }
    }

    /// The value of a `usize` expression.
    pub(super) fn index(&self, expr: &Expr) -> Result<usize, Fault> {
        usize::try_from(self.int(expr)?).map_err(|_| ill_typed())
    }

    /// The value of a bool expression.
    pub(super) fn truth(&self, expr: &Expr) -> Result<bool, Fault> {
        match self.eval(expr)? {
            Value::Bool(value) => Ok(value),
            _ => Err(ill_typed()),
        }
    }

    fn unary(&self, op: UnOp, ty: Ty, value: Value<N>) -> Result<Value<N>, Fault> {
        match (op, value, ty) {
            (UnOp::Neg, Value::Float(number), _) => Ok(Value::Float(number.neg())),
            (UnOp::Not, Value::Bool(value), _) => Ok(Value::Bool(!value)),
            (_, Value::Int(value), Ty::Int(int)) => ints::unary(op, int, value).map(Value::Int),
            _ => Err(ill_typed()),
        }
    }

    /// `left op right`, with operands (the left one of a shift) of type `ty`.
    pub(super) fn binary(
        &self,
        op: BinOp,
        ty: Ty,
        left: Value<N>,
        right: Value<N>,
    ) -> Result<Value<N>, Fault> {
        match (left, right, ty) {
            (Value::Int(a), Value::Int(b), Ty::Int(int)) if op.is_comparison() => {
                Ok(Value::Bool(holds(op, Some(ints::order(int, a, b)))))
            }
            (Value::Int(a), Value::Int(b), Ty::Int(int)) => ints::binary(op, int, a, b).map(Value::Int),
            (Value::Float(a), Value::Float(b), Ty::Float(_)) if op.is_comparison() => {
                let holds = match (a.real().zip(b.real()), op) {
                    (Some((a, b)), _) => holds(op, a.partial_cmp(&b)),
                    (None, BinOp::Eq) => a == b,
                    (None, BinOp::Ne) => a != b,
                    _ => return Err(Fault::unsupported("a comparison of such numbers")),
                };
                Ok(Value::Bool(holds))
            }
            (Value::Float(a), Value::Float(b), Ty::Float(float)) => {
                let value = N::arithmetic(op, a, b, float);
                value.map(Value::Float).ok_or_else(|| {
                    Fault::unsupported(format!("the operation `{}` of such numbers", op.symbol()))
                })
            }
            (Value::Bool(a), Value::Bool(b), Ty::Bool) => Ok(Value::Bool(match op {
                BinOp::BitAnd => a & b,
                BinOp::BitOr => a | b,
                BinOp::BitXor => a ^ b,
                _ if op.is_comparison() => holds(op, Some(a.cmp(&b))),
                _ => return Err(ill_typed()),
            })),
            _ => Err(ill_typed()),
        }
    }

    /// `func(values)`, with a first operand of type `first` and a result of type `ty`.
    pub(super) fn call(&self, func: Func, first: Ty, ty: Ty, values: &[Value<N>]) -> Result<Value<N>, Fault> {
        if let (Func::Attach, Some(value)) = (func, values.first()) {
            return Ok(*value);
        }
        if func.kind() == Kind::Int {
            let mut args = [0; 3];
            for (arg, value) in args.iter_mut().zip(values) {
                let Value::Int(value) = value else { return Err(ill_typed()) };
                *arg = *value;
            }
            let Ty::Int(int) = first else { return Err(ill_typed()) };
            let value = ints::call(func, int, &args[..values.len()])?;
            return Ok(if ty == Ty::Bool { Value::Bool(value != 0) } else { Value::Int(value) });
        }
        let Ty::Float(float) = first else { return Err(ill_typed()) };
        let missing = || Fault::unsupported(format!("`{}` of such numbers", func.text()));
        if let (Func::Powi, [Value::Float(base), Value::Int(exponent)]) = (func, values) {
            let exponent = i32::try_from(*exponent).map_err(|_| ill_typed())?;
            return N::powi(*base, exponent, float).map(Value::Float).ok_or_else(missing);
        }
        let mut args = [N::constant(0.0); 3];
        for (arg, value) in args.iter_mut().zip(values) {
            *arg = match value {
                Value::Float(value) => *value,
                Value::Int(order) => N::from_int(*order, float),
                Value::Bool(_) => return Err(ill_typed()),
            };
        }
        let args = &args[..values.len()];
        if func.kind() == Kind::FloatConstant || func == Func::Clamp {
            let mut reals = [0.0; 3];
            for (real, arg) in reals.iter_mut().zip(args) {
                *real = arg.real().ok_or_else(missing)?;
            }
            if func == Func::Clamp {
                let [_, min, max] = reals;
                if min > max || min.is_nan() || max.is_nan() {
                    return Err(Fault::new(FaultKind::Domain, format!("clamp between {min} and {max}")));
                }
            } else if let FuncValue::Test(test) = func.row().value {
                return Ok(Value::Bool(test(reals[0])));
            } else {
                let value = func.row().value.of(&reals[..args.len()], float);
                return value.map(|value| Value::Float(N::constant(value))).ok_or_else(missing);
            }
        }
        N::call(func, args, float).map(Value::Float).ok_or_else(missing)
    }
}

fn ill_typed() -> Fault {
    Fault::unsupported("an ill-typed expression")
}

/// Whether a comparison holds for operands of this order; `None` where one is NaN.
fn holds(op: BinOp, order: Option<std::cmp::Ordering>) -> bool {
    match op {
        BinOp::Eq => order.is_some_and(|order| order.is_eq()),
        BinOp::Ne => order.is_none_or(|order| order.is_ne()),
        BinOp::Lt => order.is_some_and(|order| order.is_lt()),
        BinOp::Le => order.is_some_and(|order| order.is_le()),
        BinOp::Gt => order.is_some_and(|order| order.is_gt()),
        BinOp::Ge => order.is_some_and(|order| order.is_ge()),
        _ => false,
    }
}

fn cast<N: Number>(value: Value<N>, from: Ty, to: Ty) -> Result<Value<N>, Fault> {
    match (value, from, to) {
        (Value::Float(number), _, Ty::Float(float)) => Ok(Value::Float(number.cast(float))),
        (Value::Float(number), _, Ty::Int(int)) => match number.real() {
            Some(real) => Ok(Value::Int(ints::from_float(real, int))),
            None => Err(Fault::unsupported("a cast of such numbers to an integer")),
        },
        (Value::Int(value), Ty::Int(Int::U128), Ty::Float(float)) if value < 0 => {
            Ok(Value::Float(N::constant(ints::large_to_float(value as u128, float))))
        }
        (Value::Int(value), _, Ty::Float(float)) => Ok(Value::Float(N::from_int(value, float))),
        (Value::Int(value), _, Ty::Int(int)) => Ok(Value::Int(ints::cast(value, int))),
        (Value::Bool(value), _, Ty::Int(_)) => Ok(Value::Int(i128::from(value))),
        (Value::Bool(value), _, Ty::Bool) => Ok(Value::Bool(value)),
        _ => Err(ill_typed()),
    }
}
