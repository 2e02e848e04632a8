//! Expressions to tokens, with as few parentheses as Rust's precedence allows.

use super::emitter::Emitter;
use super::storage::Storage;
use super::{Code, code, literal};
use crate::ir::{BinOp, Expr, ExprKind, Flavour, Float, Func, Int, OpaqueId, Ty, UnOp};
use proc_macro2::{Ident, Span};

/// How tightly an expression binds; more is tighter. A cast is below every operator, because `a as T < b` does not
/// parse and `a as T << b` neither.
pub(super) type Precedence = u8;
const LOWEST: Precedence = 0;
pub(super) const CAST: Precedence = 1;
const COMPARISON: Precedence = 2;
const BIT_OR: Precedence = 3;
const BIT_XOR: Precedence = 4;
const BIT_AND: Precedence = 5;
const SHIFT: Precedence = 6;
const SUM: Precedence = 7;
const PRODUCT: Precedence = 8;
const UNARY: Precedence = 9;
const POSTFIX: Precedence = 10;

fn precedence(op: BinOp) -> Precedence {
    match op {
        BinOp::Add | BinOp::Sub => SUM,
        BinOp::Mul | BinOp::Div | BinOp::Rem => PRODUCT,
        BinOp::BitAnd => BIT_AND,
        BinOp::BitOr => BIT_OR,
        BinOp::BitXor => BIT_XOR,
        BinOp::Shl | BinOp::Shr => SHIFT,
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => COMPARISON,
    }
}

/// Whether every leaf is a constant, so that nothing but a suffix says the type.
pub(super) fn is_untyped(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Float(value) => value.is_finite(),
        ExprKind::Int(_) => true,
        ExprKind::Unary(_, operand) => is_untyped(operand),
        ExprKind::Binary(BinOp::Shl | BinOp::Shr, lhs, _) => is_untyped(lhs),
        ExprKind::Binary(op, lhs, rhs) => !op.is_comparison() && is_untyped(lhs) && is_untyped(rhs),
        ExprKind::Select(parts) => is_untyped(&parts[1]) && is_untyped(&parts[2]),
        _ => false,
    }
}

/// A function of operands that are written already; the first one is a receiver.
pub(crate) fn call_of(runtime: &Code, func: Func, operands: &[Code]) -> Code {
    let [receiver, rest @ ..] = operands else { return code!() };
    let name = func.name();
    if let Some(checked) = name.strip_suffix("_ok") {
        let method = Ident::new(checked, Span::mixed_site());
        return code!(#receiver.#method(#(#rest),*).is_some());
    }
    let name = Ident::new(name, Span::mixed_site());
    match func.row().method {
        true => code!(#receiver.#name(#(#rest),*)),
        false if func.kind() == crate::ir::Kind::Int => code!(#runtime::#name(#receiver #(, #rest)*)),
        false => code!(#runtime::math::#name(#receiver #(, #rest)*)),
    }
}

impl Emitter<'_> {
    /// The expression, where the context says its type.
    pub(super) fn typed(&self, expr: &Expr) -> Code {
        self.operand(expr, LOWEST, true)
    }

    /// The expression, where the context does not say its type.
    pub(super) fn untyped(&self, expr: &Expr) -> Code {
        self.operand(expr, LOWEST, false)
    }

    /// The expression as an index.
    pub(super) fn index(&self, expr: &Expr) -> Code {
        self.typed(expr)
    }

    /// Its negation, for conditions.
    pub(super) fn negated(&self, cond: &Expr) -> Code {
        if let ExprKind::Binary(op, lhs, rhs) = &cond.kind
            && !lhs.ty.is_float()
        {
            let opposite = match op {
                BinOp::Eq => Some(BinOp::Ne),
                BinOp::Ne => Some(BinOp::Eq),
                BinOp::Lt => Some(BinOp::Ge),
                BinOp::Le => Some(BinOp::Gt),
                BinOp::Gt => Some(BinOp::Le),
                BinOp::Ge => Some(BinOp::Lt),
                _ => None,
            };
            if let Some(opposite) = opposite {
                return self.binary(opposite, lhs, rhs, false).0;
            }
        }
        match &cond.kind {
            ExprKind::Unary(UnOp::Not, operand) => self.untyped(operand),
            _ => {
                let cond = self.operand(cond, UNARY, false);
                code!(!#cond)
            }
        }
    }

    /// The receiver of a method.
    fn receiver(&self, expr: &Expr) -> Code {
        self.operand(expr, POSTFIX, false)
    }

    /// The expression, in parentheses if it binds less tightly than `least`.
    pub(super) fn operand(&self, expr: &Expr, least: Precedence, typed: bool) -> Code {
        let (tokens, precedence) = self.expr(expr, typed);
        if precedence < least { code!((#tokens)) } else { tokens }
    }

    fn expr(&self, expr: &Expr, typed: bool) -> (Code, Precedence) {
        match &expr.kind {
            ExprKind::Float(value) => {
                let float = if expr.ty == Ty::F32 { Float::F32 } else { Float::F64 };
                let precedence = if value.is_sign_negative() && !value.is_nan() { UNARY } else { POSTFIX };
                (literal::float(float, *value, !typed), precedence)
            }
            ExprKind::Int(value) => {
                let int = if let Ty::Int(int) = expr.ty { int } else { Int::Usize };
                (literal::int(int, *value, !typed), if *value < 0 { UNARY } else { POSTFIX })
            }
            ExprKind::Bool(true) => (code!(true), POSTFIX),
            ExprKind::Bool(false) => (code!(false), POSTFIX),
            ExprKind::Opaque(opaque) => {
                let name = self.opaque(*opaque);
                (code!(#name), POSTFIX)
            }
            ExprKind::Iter(iter) => {
                let name = self.iter(*iter);
                (code!(#name), POSTFIX)
            }
            ExprKind::Extent(buffer, dim) => match self.extent(*buffer, *dim) {
                Ok(tokens) => (tokens, POSTFIX),
                Err(extent) => self.expr(extent, typed),
            },
            ExprKind::Load(place) => {
                let tokens = self.loaded(place);
                let reference = matches!(
                    self.storage(place.buffer),
                    Storage::Scalar { reference: true, .. }
                        | Storage::Flat { disjoint: true, .. }
                        | Storage::Records { disjoint: true, .. }
                );
                (tokens, if reference { UNARY } else { POSTFIX })
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.operand(operand, UNARY, typed);
                let tokens = match op {
                    UnOp::Neg => code!(-#operand),
                    UnOp::Not => code!(!#operand),
                };
                (tokens, UNARY)
            }
            ExprKind::Binary(op, lhs, rhs) => self.binary(*op, lhs, rhs, typed),
            ExprKind::Call(func, flavour, args) => (self.call(*func, *flavour, args), POSTFIX),
            ExprKind::Apply(function, args) => {
                let args = args.iter().map(|arg| self.untyped(arg));
                (self.apply(*function, args), POSTFIX)
            }
            ExprKind::Cast(operand) => {
                // `a as T as U` needs no parentheses
                let least = if matches!(operand.kind, ExprKind::Cast(_)) { CAST } else { UNARY };
                let operand = self.operand(operand, least, false);
                let ty = literal::ty(expr.ty);
                (code!(#operand as #ty), CAST)
            }
            ExprKind::Select(parts) => {
                let [cond, yes, no] = &**parts;
                let cond = self.untyped(cond);
                let yes_typed = typed || (is_untyped(yes) && !is_untyped(no));
                let no_typed = typed || !is_untyped(yes);
                let (yes, no) = (self.operand(yes, LOWEST, yes_typed), self.operand(no, LOWEST, no_typed));
                (code!(if #cond { #yes } else { #no }), LOWEST)
            }
        }
    }

    fn binary(&self, op: BinOp, lhs: &Expr, rhs: &Expr, typed: bool) -> (Code, Precedence) {
        let own = precedence(op);
        let shift = matches!(op, BinOp::Shl | BinOp::Shr);
        let typed = typed && !op.is_comparison();
        let lhs_typed = typed || (!shift && is_untyped(lhs) && !is_untyped(rhs));
        let rhs_typed = !shift && (typed || !is_untyped(lhs));
        // comparisons do not chain; the others group to the left
        let left = self.operand(lhs, if op.is_comparison() { own + 1 } else { own }, lhs_typed);
        let right = self.operand(rhs, own + 1, rhs_typed);
        let tokens = match op {
            BinOp::Add => code!(#left + #right),
            BinOp::Sub => code!(#left - #right),
            BinOp::Mul => code!(#left * #right),
            BinOp::Div => code!(#left / #right),
            BinOp::Rem => code!(#left % #right),
            BinOp::BitAnd => code!(#left & #right),
            BinOp::BitOr => code!(#left | #right),
            BinOp::BitXor => code!(#left ^ #right),
            BinOp::Shl => code!(#left << #right),
            BinOp::Shr => code!(#left >> #right),
            BinOp::Eq => code!(#left == #right),
            BinOp::Ne => code!(#left != #right),
            BinOp::Lt => code!(#left < #right),
            BinOp::Le => code!(#left <= #right),
            BinOp::Gt => code!(#left > #right),
            BinOp::Ge => code!(#left >= #right),
        };
        (tokens, own)
    }

    fn call(&self, func: Func, flavour: Flavour, args: &[Expr]) -> Code {
        let runtime = &self.runtime;
        if let Some(name) = func.polynomial()
            && flavour == Flavour::Polynomial
        {
            let (name, isa) = (Ident::new(name, Span::mixed_site()), &self.isa);
            // a scalar has the bits that a lane has
            let lanes = args.iter().map(|arg| {
                let value = self.untyped(arg);
                // the exponent of an integer power stays an integer
                match self.by_level && arg.ty.is_float() {
                    true => code!(#runtime::simd::Lane::<#isa, _>::new(#value)),
                    false => value,
                }
            });
            return if self.by_level {
                code!(#runtime::math::#name(#(#lanes),*).value())
            } else {
                code!(#runtime::math::#name(#(#lanes),*))
            };
        }
        let [first, rest @ ..] = args else { return code!() };
        if func == Func::TripCount {
            let lo_typed = is_untyped(first) && rest.first().is_some_and(|hi| !is_untyped(hi));
            let lo = self.operand(first, LOWEST, lo_typed);
            let rest = rest.iter().map(|arg| self.typed(arg));
            return code!(#runtime::trip_count(#lo #(, #rest)*));
        }
        let mut operands = vec![self.receiver(first)];
        operands.extend(rest.iter().map(|arg| self.typed(arg)));
        call_of(runtime, func, &operands)
    }

    /// The expression as an operand of a method or of a wrapping operation.
    pub(super) fn untyped_operand(&self, expr: &Expr) -> Code {
        self.operand(expr, POSTFIX, false)
    }

    /// A call of the user's function.
    pub(super) fn apply(&self, function: OpaqueId, args: impl IntoIterator<Item = Code>) -> Code {
        let path = &self.program[function].tokens;
        let args = args.into_iter();
        code!(#path(#(#args),*))
    }

    /// The expression as a formula for people, in the names of the generated code; `factor` puts sums in
    /// parentheses.
    pub(super) fn formula(&self, expr: &Expr, factor: bool) -> String {
        match &expr.kind {
            ExprKind::Float(value) => format!("{value:?}"),
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Opaque(opaque) => self.program[*opaque].text.clone(),
            ExprKind::Iter(iter) => self.iter(*iter).to_string(),
            ExprKind::Extent(buffer, dim) => {
                let extent = &self.program[*buffer].dims[*dim];
                let rows = if *dim > 0 { "[0]".repeat(*dim) } else { String::new() };
                match &extent.kind {
                    ExprKind::Extent(..) => format!("{}{rows}.len()", self.storage(*buffer).shown()),
                    _ => self.formula(extent, factor),
                }
            }
            ExprKind::Load(place) => {
                let storage = self.storage(place.buffer);
                let index = place.index.iter().map(|index| format!("[{}]", self.formula(index, false)));
                let mut text = storage.shown();
                for (depth, index) in std::iter::once(String::new()).chain(index).enumerate() {
                    text += &index;
                    text += &storage.members_shown(depth);
                }
                text
            }
            ExprKind::Unary(UnOp::Neg, operand) => format!("-{}", self.formula(operand, true)),
            ExprKind::Unary(UnOp::Not, operand) => format!("!{}", self.formula(operand, true)),
            ExprKind::Binary(op, lhs, rhs) => {
                let product = precedence(*op) == PRODUCT;
                let text = format!(
                    "{} {} {}",
                    self.formula(lhs, product),
                    op.symbol(),
                    self.formula(rhs, product || *op == BinOp::Sub)
                );
                if factor { format!("({text})") } else { text }
            }
            ExprKind::Call(func, _, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.formula(arg, false)).collect();
                format!("{}({})", func.name(), args.join(", "))
            }
            ExprKind::Apply(function, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.formula(arg, false)).collect();
                format!("{}({})", self.program[*function].text, args.join(", "))
            }
            ExprKind::Cast(operand) => self.formula(operand, factor),
            ExprKind::Select(parts) => {
                let [cond, yes, no] = parts.each_ref().map(|part| self.formula(part, false));
                format!("(if {cond} {{ {yes} }} else {{ {no} }})")
            }
        }
    }
}
