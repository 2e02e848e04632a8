//! Expressions in the user's names, as the plan shows them.

use crate::ir::{BinOp, Buffer, BufferId, Expr, ExprKind, Func, Layout, Place, Program, UnOp};

/// An element.
pub(super) fn place(program: &Program, place: &Place) -> String {
    let name = &program[place.buffer].name;
    if place.index.is_empty() {
        return name.clone();
    }
    let index: Vec<String> = place.index.iter().map(|index| expr(program, index)).collect();
    format!("{name}[{}]", index.join(", "))
}

/// A value.
pub(super) fn expr(program: &Program, expr: &Expr) -> String {
    written(program, expr, 0)
}

/// The same, in parentheses if it binds weaker than `least`.
fn written(program: &Program, expr: &Expr, least: u8) -> String {
    let all = |list: &[Expr]| -> Vec<String> { list.iter().map(|expr| self::expr(program, expr)).collect() };
    let (strength, text) = match &expr.kind {
        ExprKind::Float(value) => (9, format!("{value:?}")),
        ExprKind::Int(value) => (9, value.to_string()),
        ExprKind::Bool(value) => (9, value.to_string()),
        ExprKind::Opaque(id) => (9, program[*id].text.clone()),
        ExprKind::Iter(id) => (9, program[*id].name.clone()),
        ExprKind::Extent(buffer, dim) => {
            (9, format!("{}{}.len()", program[*buffer].name, "[0]".repeat(*dim)))
        }
        ExprKind::Load(from) => (9, place(program, from)),
        ExprKind::Unary(op, operand) => {
            let sign = if *op == UnOp::Neg { "-" } else { "!" };
            (8, format!("{sign}{}", written(program, operand, 8)))
        }
        ExprKind::Cast(operand) => (7, format!("{} as {}", written(program, operand, 7), expr.ty)),
        ExprKind::Binary(op, lhs, rhs) => {
            let own = strength(*op);
            let (lhs, rhs) = (written(program, lhs, own), written(program, rhs, own + 1));
            (own, format!("{lhs} {} {rhs}", op.symbol()))
        }
        ExprKind::Call(Func::TripCount, _, args) => (9, trip_count(program, args)),
        ExprKind::Call(func, _, args) => {
            let receiver = args.first().map_or(String::new(), |arg| written(program, arg, 9));
            (9, format!("{receiver}.{}({})", func.name(), all(args.get(1..).unwrap_or(&[])).join(", ")))
        }
        ExprKind::Apply(id, args) => (9, format!("{}({})", program[*id].text, all(args).join(", "))),
        ExprKind::Select(parts) => (9, format!("select({})", all(&parts[..]).join(", "))),
    };
    if strength < least { format!("({text})") } else { text }
}

/// `(lo..hi).len()`, as Rust says it.
fn trip_count(program: &Program, args: &[Expr]) -> String {
    let [lo, hi, step] = args else { return String::new() };
    let range = format!("({}..{})", written(program, lo, 1), written(program, hi, 1));
    match &step.kind {
        ExprKind::Int(1) => format!("{range}.len()"),
        _ => format!("{range}.step_by({}).len()", expr(program, step)),
    }
}

fn strength(op: BinOp) -> u8 {
    use BinOp::*;
    match op {
        Eq | Ne | Lt | Le | Gt | Ge => 0,
        BitOr => 1,
        BitXor => 2,
        BitAnd => 3,
        Shl | Shr => 4,
        Add | Sub => 5,
        Mul | Div | Rem => 6,
    }
}

/// How many elements a buffer has, as a formula.
pub(super) fn extents(program: &Program, id: BufferId) -> String {
    let buffer = &program[id];
    let factor = |(dim, extent): (usize, &Expr)| match (&buffer.layout, &extent.kind) {
        (layout, _) if layout.grows() && dim == 0 => "as many as needed".to_owned(),
        _ => written(program, extent, 7),
    };
    if buffer.layout == Layout::PackedTriangular
        && let [outer @ .., rows, _] = buffer.dims.as_slice()
    {
        let rows = written(program, rows, 7);
        let mut factors: Vec<String> = outer.iter().map(|extent| written(program, extent, 7)).collect();
        factors.push(format!("{rows} * ({rows} + 1) / 2"));
        return factors.join(" * ");
    }
    let factors: Vec<String> = buffer.dims.iter().enumerate().map(factor).collect();
    if factors.is_empty() { "1".to_owned() } else { factors.join(" * ") }
}

/// How the elements lie.
pub(super) fn layout(buffer: &Buffer) -> String {
    match &buffer.layout {
        Layout::RowMajor => "row-major".to_owned(),
        Layout::Padded(to) => format!("row-major, rows padded to a multiple of {to}"),
        Layout::PackedTriangular => "packed triangle".to_owned(),
        Layout::Growing | Layout::Reserved => "growing".to_owned(),
    }
}
