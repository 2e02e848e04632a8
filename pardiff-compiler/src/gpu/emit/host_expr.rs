//! Expressions as Rust, on the host: integers and conditions, with Rust's own meaning.

use super::host::HostWriter;
use crate::backend::rust::{Code, call_of, code, literal};
use crate::ir::{BinOp, Expr, ExprKind, Float, Int, Ty, UnOp};

impl HostWriter<'_> {
    /// The value of an expression that the host knows.
    pub(super) fn value(&self, expr: &Expr) -> Code {
        match &expr.kind {
            ExprKind::Float(value) => {
                let float = if expr.ty == Ty::F32 { Float::F32 } else { Float::F64 };
                let value = literal::float(float, *value, true);
                code!((#value))
            }
            ExprKind::Int(value) => {
                let int = if let Ty::Int(int) = expr.ty { int } else { Int::Usize };
                let value = literal::int(int, *value, true);
                code!((#value))
            }
            ExprKind::Bool(true) => code!(true),
            ExprKind::Bool(false) => code!(false),
            ExprKind::Opaque(path) => {
                let name = self.path(*path);
                code!(#name)
            }
            // refused before
            ExprKind::Apply(..) => code!(),
            ExprKind::Iter(iter) => {
                let name = self.iter(*iter);
                code!(#name)
            }
            ExprKind::Extent(buffer, dim) => {
                let extent = &self.program[*buffer].dims[*dim];
                match extent.kind {
                    ExprKind::Extent(same, at) if same == *buffer && at == *dim => self.extent(same, at),
                    _ => self.value(extent),
                }
            }
            ExprKind::Load(place) => self.scalar(place.buffer),
            ExprKind::Unary(op, operand) => {
                let value = self.value(operand);
                match op {
                    UnOp::Neg => code!((-#value)),
                    UnOp::Not => code!((!#value)),
                }
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (a, b) = (self.value(lhs), self.value(rhs));
                match op {
                    BinOp::Add => code!((#a + #b)),
                    BinOp::Sub => code!((#a - #b)),
                    BinOp::Mul => code!((#a * #b)),
                    BinOp::Div => code!((#a / #b)),
                    BinOp::Rem => code!((#a % #b)),
                    BinOp::BitAnd => code!((#a & #b)),
                    BinOp::BitOr => code!((#a | #b)),
                    BinOp::BitXor => code!((#a ^ #b)),
                    BinOp::Shl => code!((#a << #b)),
                    BinOp::Shr => code!((#a >> #b)),
                    BinOp::Eq => code!((#a == #b)),
                    BinOp::Ne => code!((#a != #b)),
                    BinOp::Lt => code!((#a < #b)),
                    BinOp::Le => code!((#a <= #b)),
                    BinOp::Gt => code!((#a > #b)),
                    BinOp::Ge => code!((#a >= #b)),
                }
            }
            ExprKind::Call(func, _, args) => {
                let values: Vec<Code> = args.iter().map(|arg| self.value(arg)).collect();
                call_of(&self.runtime, *func, &values)
            }
            ExprKind::Cast(operand) => {
                let (value, ty) = (self.value(operand), literal::ty(expr.ty));
                code!((#value as #ty))
            }
            ExprKind::Select(parts) => {
                let [cond, yes, no] = parts.each_ref().map(|part| self.value(part));
                code!((if #cond { #yes } else { #no }))
            }
        }
    }

    /// The 64 bits that a kernel takes for a value.
    pub(super) fn bits(&self, ty: Ty, value: Code) -> Code {
        match ty {
            Ty::Float(Float::F64) => code!(#value.to_bits()),
            Ty::Float(Float::F32) => code!(::core::primitive::u64::from(#value.to_bits())),
            Ty::Bool => code!(::core::primitive::u64::from(#value)),
            Ty::Int(int) if int.is_signed() => code!(#value as i64 as u64),
            Ty::Int(_) => code!(#value as u64),
        }
    }
}
