//! Expressions: parentheses, suffixes, functions.

use super::{Fixture, U8};
use crate::ir::{BinOp, Expr, Func, Int, Place, Ty, UnOp};

fn add(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinOp::Add, a, b)
}

fn mul(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinOp::Mul, a, b)
}

fn float(value: f64) -> Expr {
    Expr::float(Ty::F64, value)
}

#[test]
fn parentheses_only_where_needed() {
    let mut f = Fixture::new();
    let s = f.s();
    let sum = add(s.clone(), s.clone());
    assert_eq!(f.expr(mul(sum.clone(), sum.clone())), "(s + s) * (s + s)");
    assert_eq!(f.expr(add(mul(s.clone(), s.clone()), s.clone())), "s * s + s");
    assert_eq!(f.expr(Expr::binary(BinOp::Sub, s.clone(), sum.clone())), "s - (s + s)");
    assert_eq!(f.expr(Expr::binary(BinOp::Sub, sum.clone(), s.clone())), "s + s - s");
    assert_eq!(f.expr(Expr::unary(UnOp::Neg, sum.clone())), "- (s + s)");
    assert_eq!(f.expr(mul(Expr::unary(UnOp::Neg, s.clone()), s.clone())), "- s * s");
    assert_eq!(
        f.expr(Expr::call(Ty::F64, Func::Exp, vec![Expr::unary(UnOp::Neg, s.clone())])),
        "(- s) . exp ()"
    );
    assert_eq!(f.expr(mul(f.n().cast(Ty::F64), s.clone())), "(n as f64) * s");
    assert_eq!(f.expr(add(f.n(), Expr::usize(1)).cast(Ty::F32).cast(Ty::F64)), "(n + 1) as f32 as f64");
    let less = Expr::binary(BinOp::Lt, s.clone(), float(0.0));
    let select = Expr::select(less.clone(), float(1.0), s.clone());
    assert_eq!(f.expr(select.clone()), "if s < 0.0 { 1.0 } else { s }");
    assert_eq!(f.expr(mul(select, s.clone())), "(if s < 0.0 { 1.0 } else { s }) * s");
    let both = Expr::binary(BinOp::BitAnd, less.clone(), Expr::unary(UnOp::Not, less));
    assert_eq!(f.expr(both), "(s < 0.0) & ! (s < 0.0)");
}

#[test]
fn literals_have_a_suffix_where_nothing_else_says_their_type() {
    let mut f = Fixture::new();
    let s = f.s();
    assert_eq!(f.expr(mul(float(2.0), s.clone())), "2.0 * s");
    assert_eq!(f.expr(Expr::call(Ty::F64, Func::Sqrt, vec![float(2.0)])), "2.0_f64 . sqrt ()");
    assert_eq!(f.expr(Expr::call(Ty::F64, Func::Abs, vec![float(-2.0)])), "(- 2.0_f64) . abs ()");
    assert_eq!(f.expr(Expr::call(Ty::F64, Func::Powf, vec![s.clone(), float(-0.5)])), "s . powf (- 0.5)");
    assert_eq!(f.expr(Expr::usize(3).cast(Ty::F64)), "3_usize as f64");
    let constants = Expr::binary(BinOp::Lt, Expr::int(U8, 1), Expr::int(U8, 2));
    assert_eq!(f.expr(constants), "1_u8 < 2_u8");
    let sum = add(Expr::usize(1), add(Expr::usize(2), f.n()));
    assert_eq!(f.expr(sum.cast(Ty::F64)), "(1 + (2 + n)) as f64");
    let shift = Expr::binary(BinOp::Shl, Expr::int(U8, 1), Expr::int(Ty::Int(Int::U32), 3));
    assert_eq!(f.expr(shift), "1 << 3_u32");
}

#[test]
fn functions_are_methods_of_their_receiver() {
    let mut f = Fixture::new();
    for &func in Func::ALL {
        let ty = match func.kind() {
            crate::ir::Kind::Int => Ty::Int(Int::I64),
            _ => Ty::F64,
        };
        let operand = f.program.add_scalar("a", ty, crate::ir::Role::Input);
        f.program.params.push(operand);
        let value = Place::scalar(operand).load(ty);
        let name = f.program.params.iter().filter(|&&param| f.program[param].name == "a").count() - 1;
        let name = if name == 0 { "a".to_owned() } else { format!("a_{}", name + 1) };
        let text = f.expr(Expr::call(Ty::F64, func, vec![value; func.arity()]));
        let rest = vec![name.clone(); func.arity() - 1].join(" , ");
        let method = func.name().trim_start_matches("int::");
        let expected = match func {
            Func::TripCount | Func::BinomialCheckpoint => format!("rt :: {method} ({name} , {rest})"),
            Func::CheckedAddOk | Func::CheckedSubOk | Func::CheckedMulOk => {
                format!("{name} . {} ({rest}) . is_some ()", method.trim_end_matches("_ok"))
            }
            _ if !func.row().method => {
                let operands = vec![name.clone(); func.arity()].join(" , ");
                format!("rt :: math :: {method} ({operands})")
            }
            _ => format!("{name} . {method} ({rest})"),
        };
        assert_eq!(text, expected);
    }
}
