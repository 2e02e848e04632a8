//! Expressions as CUDA C: parentheses everywhere, and a function of `text/functions.cuh` wherever C and Rust differ.

use super::kernel::{Word, iterator};
use super::stmt::{Home, Writer};
use crate::ir::{BinOp, Cuda, Expr, ExprKind, Float, Func, Int, Place, Ty, UnOp, layout};

/// The name of a type.
pub(super) fn c_type(ty: Ty) -> &'static str {
    match ty {
        Ty::Float(Float::F32) => "float",
        Ty::Float(Float::F64) => "double",
        Ty::Bool => "bool",
        Ty::Int(Int::I8) => "pd_i8",
        Ty::Int(Int::I16) => "pd_i16",
        Ty::Int(Int::I32) => "pd_i32",
        Ty::Int(Int::U8) => "pd_u8",
        Ty::Int(Int::U16) => "pd_u16",
        Ty::Int(Int::U32) => "pd_u32",
        Ty::Int(int) if int.is_signed() => "pd_i64",
        Ty::Int(_) => "pd_u64",
    }
}

/// A value of that type from the 64 bits in which it comes.
pub(super) fn from_word(ty: Ty, word: &str) -> String {
    match ty {
        Ty::Float(Float::F32) => format!("pd_bits_f32({word})"),
        Ty::Float(Float::F64) => format!("pd_bits_f64({word})"),
        ty => format!("({})({word})", c_type(ty)),
    }
}

/// A constant.
fn float(ty: Ty, value: f64) -> String {
    let ty = c_type(ty);
    if value.is_nan() {
        return format!("(({ty})PD_NAN)");
    }
    if value.is_infinite() {
        return if value > 0.0 { format!("(({ty})PD_INF)") } else { format!("((-({ty})PD_INF))") };
    }
    // a constant of `f32` has the same digits in both types: rounding it again changes nothing
    format!("(({ty}){value:?})")
}

fn int(ty: Ty, value: i128) -> String {
    let text = match i64::try_from(value) {
        Ok(i64::MIN) => "(-9223372036854775807ll - 1)".to_owned(),
        Ok(value) => format!("{value}ll"),
        Err(_) => format!("{value}ull"),
    };
    format!("(({})({text}))", c_type(ty))
}

/// The name of a function in the text.
fn function(func: Func, first: Ty) -> String {
    match func.row().cuda {
        Cuda::Ours => format!("pd_{}", func.name()),
        Cuda::Named(name) => name.to_owned(),
        Cuda::Math(name) if first == Ty::F32 => format!("{name}f"),
        Cuda::Math(name) => name.to_owned(),
    }
}

impl Writer<'_> {
    /// The value of an expression.
    pub(super) fn expr(&mut self, expr: &Expr) -> String {
        let ty = c_type(expr.ty);
        match &expr.kind {
            ExprKind::Float(value) => float(expr.ty, *value),
            ExprKind::Int(value) => int(expr.ty, *value),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Opaque(path) => self.word(Word::Path(*path)),
            ExprKind::Iter(iter) if self.iters.contains(iter) => iterator(self.program, *iter),
            ExprKind::Iter(iter) => self.word(Word::Iter(*iter)),
            ExprKind::Extent(buffer, dim) => {
                let extent = self.program[*buffer].dims[*dim].clone();
                match extent.kind {
                    ExprKind::Extent(same, at) if same == *buffer && at == *dim => {
                        self.word(Word::Extent(same, at))
                    }
                    _ => self.expr(&extent),
                }
            }
            ExprKind::Load(place) => self.load(place),
            ExprKind::Unary(UnOp::Neg, operand) => {
                let value = self.expr(operand);
                if expr.ty.is_float() { format!("(-{value})") } else { format!("pd_neg<{ty}>({value})") }
            }
            ExprKind::Unary(UnOp::Not, operand) => {
                let value = self.expr(operand);
                if expr.ty == Ty::Bool { format!("(!{value})") } else { format!("(({ty})~{value})") }
            }
            ExprKind::Binary(op, lhs, rhs) => self.binary(*op, expr.ty, lhs, rhs),
            ExprKind::Call(func, _, args) => self.call(*func, expr.ty, args),
            // refused before
            ExprKind::Apply(..) => String::new(),
            ExprKind::Cast(operand) => {
                let (from, value) = (c_type(operand.ty), self.expr(operand));
                format!("pd_cast<{ty}, {from}>({value})")
            }
            ExprKind::Select(parts) => {
                let [cond, yes, no] = parts.each_ref().map(|part| self.expr(part));
                format!("({cond} ? {yes} : {no})")
            }
        }
    }

    fn binary(&mut self, op: BinOp, ty: Ty, lhs: &Expr, rhs: &Expr) -> String {
        let (a, b) = (self.expr(lhs), self.expr(rhs));
        let of = c_type(lhs.ty);
        let is_int = lhs.ty.is_int();
        match op {
            BinOp::Add if is_int => format!("pd_add<{of}>({a}, {b})"),
            BinOp::Sub if is_int => format!("pd_sub<{of}>({a}, {b})"),
            BinOp::Mul if is_int => format!("pd_mul<{of}>({a}, {b})"),
            BinOp::Div | BinOp::Rem if is_int => {
                if matches!(rhs.kind, ExprKind::Int(by) if by > 0) {
                    return format!("(({of})({a} {} {b}))", op.symbol());
                }
                let words = if op == BinOp::Div { "divide" } else { "calculate the remainder" };
                let by = if op == BinOp::Div { "by" } else { "with a divisor of" };
                let zero = self.plain_site(&format!("attempt to {words} {by} zero"));
                let over = self.plain_site(&format!("attempt to {words} with overflow"));
                let failed = self.word(Word::Failed);
                let name = if op == BinOp::Div { "pd_div" } else { "pd_rem" };
                format!("{name}<{of}>({failed}, {zero}, {over}, {a}, {b})")
            }
            BinOp::Rem => format!("pd_fmod({a}, {b})"),
            BinOp::Shl => format!("pd_shl<{of}>({a}, {b})"),
            BinOp::Shr => format!("pd_shr<{of}>({a}, {b})"),
            BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => {
                format!("(({})({a} {} {b}))", c_type(ty), op.symbol())
            }
            _ => format!("({a} {} {b})", op.symbol()),
        }
    }

    fn call(&mut self, func: Func, ty: Ty, args: &[Expr]) -> String {
        let of = args.first().map_or("", |first| c_type(first.ty));
        let mut values = self.panics(func, args);
        values.extend(args.iter().map(|arg| self.expr(arg)));
        let (name, values) = (function(func, args.first().map_or(ty, |first| first.ty)), values.join(", "));
        match func {
            Func::AbsDiff => format!("{name}<{}, {of}>({values})", c_type(ty)),
            Func::UnsignedAbs => format!("(({}){name}<{of}>({values}))", c_type(ty)),
            _ => {
                let is_template = args.first().is_some_and(|first| first.ty.is_int())
                    && !matches!(func, Func::WrappingShl | Func::WrappingShr);
                if is_template { format!("{name}<{of}>({values})") } else { format!("{name}({values})") }
            }
        }
    }

    /// What a function that panics in Rust takes in front of its operands: the record of failures, and its panics.
    fn panics(&mut self, func: Func, args: &[Expr]) -> Vec<String> {
        let texts = match func {
            Func::IntDivEuclid | Func::DivCeil => {
                vec!["attempt to divide by zero", "attempt to divide with overflow"]
            }
            Func::IntRemEuclid | Func::NextMultipleOf => vec![
                "attempt to calculate the remainder with a divisor of zero",
                "attempt to calculate the remainder with overflow",
            ],
            Func::IntClamp => vec!["assertion failed: min <= max"],
            Func::Isqrt => vec!["argument of integer square root cannot be negative"],
            Func::Ilog2 => vec!["argument of integer logarithm must be positive"],
            Func::Clamp => {
                let elem = args.first().map_or(Ty::F64, |first| first.ty);
                return vec![self.word(Word::Failed), self.clamp_site(elem).to_string()];
            }
            _ => return Vec::new(),
        };
        let record = self.word(Word::Failed);
        let sites = texts.into_iter().map(|text| self.plain_site(text).to_string());
        [record].into_iter().chain(sites).collect()
    }

    /// The value of an element.
    pub(super) fn load(&mut self, place: &Place) -> String {
        match self.element(place) {
            Element::Register(name) => name,
            Element::Of { array, at, .. } => {
                let value = format!("pd_load({array}, {at})");
                let (elem, kept) = (self.program[place.buffer].elem, self.kept(place));
                if elem == kept { value } else { format!("(({}){value})", c_type(elem)) }
            }
        }
    }

    /// Where an element lies.
    pub(super) fn element(&mut self, place: &Place) -> Element {
        let id = place.buffer;
        if self.host.has(id) && !self.homes.contains_key(&id) {
            return Element::Register(self.word(Word::Scalar(id)));
        }
        match self.homes.get(&id) {
            Some(Home::Register) => Element::Register(super::kernel::local(self.program, id)),
            Some(Home::Local | Home::Shared) => {
                let (array, at) = (super::kernel::local(self.program, id), self.position(place));
                Element::Of { array, at, word: None }
            }
            Some(Home::Own) => {
                let (array, at) = (self.word(Word::Own(id)), self.position(place));
                let at = format!("({at} * pd_threads() + pd_thread())");
                Element::Of { array, at, word: Some(Word::Own(id)) }
            }
            Some(Home::OfBlock) => {
                let (array, at, size) = (self.word(Word::Own(id)), self.position(place), self.size(id));
                let at = format!("((pd_u64)blockIdx.x * {size} + {at})");
                Element::Of { array, at, word: Some(Word::Own(id)) }
            }
            None if self.program[id].rank() == 0 => {
                let (ty, at) = self.cells.of(id);
                let array = self.word(Word::Cells(ty));
                Element::Of { array, at: format!("{at}ull"), word: Some(Word::Cells(ty)) }
            }
            None => {
                let (array, at) = (self.word(Word::Array(id)), self.position(place));
                Element::Of { array, at, word: Some(Word::Array(id)) }
            }
        }
    }

    /// The type as which an element is kept.
    pub(super) fn kept(&self, place: &Place) -> Ty {
        let id = place.buffer;
        let is_cell = self.program[id].rank() == 0 && !self.homes.contains_key(&id) && !self.host.has(id);
        if is_cell { self.cells.of(id).0 } else { self.program[id].elem }
    }

    /// The position of an element in its array.
    pub(super) fn position(&mut self, place: &Place) -> String {
        let buffer = &self.program[place.buffer];
        let extents: Vec<Expr> = (0..buffer.rank()).map(|dim| Expr::extent(place.buffer, dim)).collect();
        let position = layout::position(&buffer.layout, &extents, &place.index);
        self.expr(&position)
    }
}

/// Where an element lies.
pub(super) enum Element {
    /// In a variable.
    Register(String),
    /// In an array, at a position; and the word of the array, if it lies in global memory.
    Of { array: String, at: String, word: Option<Word> },
}
