//! Machine integers are not mathematical ones.

use super::build::*;
use crate::ir::*;
use crate::poly::{Analysis, Answer};

const U8: Ty = Ty::Int(Int::U8);
const I32: Ty = Ty::Int(Int::I32);

/// Whether `y[index(i)]` and `y[other(i)]` may be one element, `i` running from `lo` below `hi`.
fn meet(ty: Ty, lo: i128, hi: i128, index: impl Fn(Expr) -> Expr, other: impl Fn(Expr) -> Expr) -> Answer {
    let mut b = Builder::new();
    let y = b.slice("y", Ty::F64, Role::InOut);
    let iter = b.program.add_iter("i", ty);
    let i = Expr::iter(iter, ty);
    let body = vec![assign(Place::new(y, vec![index(i.clone())]), b.at(y, vec![other(i)]))];
    b.program.body = vec![for_loop(iter, Expr::int(ty, lo), Expr::int(ty, hi), body)];
    let analysis = Analysis::new(&b.program);
    let [read, write] = analysis.of(y) else { panic!("two accesses") };
    let pairs = [(read, write), (write, read)];
    let carried = pairs.map(|(a, b)| analysis.carries_any(iter, *a, *b));
    analysis.same_element(*read, *write).or(carried[0]).or(carried[1])
}

#[test]
fn a_byte_wraps() {
    let plus = |k: i128| move |i: Expr| (i + Expr::int(U8, k)).cast(Ty::USIZE);
    // 250 + 10 is 4
    assert_eq!(meet(U8, 0, 5, plus(0), plus(200)), Answer::No);
    assert_eq!(meet(U8, 50, 60, plus(0), plus(200)), Answer::Unknown);
    let wide = |i: Expr| i.cast(Ty::USIZE) + n(200);
    assert_eq!(meet(U8, 50, 60, plus(0), wide), Answer::No);
}

#[test]
fn what_wraps_and_comes_back_is_the_same() {
    let there_and_back = |i: Expr| i - n(5) + n(5);
    let same = |i: Expr| i;
    assert_eq!(meet(Ty::USIZE, 0, 9, there_and_back, |i| i + n(9)), Answer::No);
    assert_eq!(meet(Ty::USIZE, 0, 9, there_and_back, same), Answer::Yes);
}

#[test]
fn zero_minus_one_is_not_small() {
    // `if i.wrapping_sub(1) < 3` excludes `i = 0`
    let mut b = Builder::new();
    let y = b.slice("y", Ty::F64, Role::InOut);
    let (iter, i) = b.iter("i");
    let before = Expr::call(Ty::USIZE, Func::WrappingSub, vec![i.clone(), n(1)]);
    let first = assign(Place::new(y, vec![n(0)]), Expr::float(Ty::F64, 0.0));
    let guarded =
        when(lt(before.clone(), n(3)), vec![assign(Place::new(y, vec![i]), Expr::float(Ty::F64, 1.0))]);
    let wrapped = assign(Place::new(y, vec![before]), Expr::float(Ty::F64, 1.0));
    b.program.body = vec![first, for_loop(iter, n(0), n(9), vec![guarded, wrapped])];
    let analysis = Analysis::new(&b.program);
    let [first, guarded, wrapped] = analysis.of(y) else { panic!("three accesses") };
    assert_eq!(analysis.same_element(*first, *guarded), Answer::Unknown, "the condition is not affine");
    assert!(analysis.access(*wrapped).index[0].is_none());
    assert_eq!(analysis.access(*guarded).index[0].as_ref().map(|form| form.constant()), Some(0));
}

#[test]
fn casts_that_keep_the_value_are_transparent() {
    let narrow = |i: Expr| i.cast(I32).cast(Ty::USIZE);
    assert_eq!(meet(Ty::USIZE, 0, 100, narrow, |i| i + n(100)), Answer::No);
    let byte = |i: Expr| i.cast(U8).cast(Ty::USIZE);
    assert_eq!(meet(Ty::USIZE, 0, 300, byte, |i| i + n(100)), Answer::Unknown);
    // a negative number is a large index, and not a small one
    let negative = |i: Expr| (i - Expr::int(I32, 3)).cast(Ty::USIZE);
    assert_eq!(meet(I32, 0, 3, negative, |i| i.cast(Ty::USIZE)), Answer::Unknown);
    assert_eq!(meet(I32, 3, 9, negative, |i| i.cast(Ty::USIZE)), Answer::Yes);
    assert_eq!(meet(I32, 3, 9, negative, |i| i.cast(Ty::USIZE) + n(9)), Answer::No);
}

#[test]
fn halves_and_remainders_are_understood() {
    let half = |i: Expr| Expr::binary(BinOp::Div, i, n(2));
    let odd = |i: Expr| Expr::binary(BinOp::Rem, i, n(2));
    assert_eq!(meet(Ty::USIZE, 0, 10, half, |_| n(5)), Answer::No);
    assert_eq!(meet(Ty::USIZE, 0, 10, odd, |_| n(2)), Answer::No);
    assert_ne!(meet(Ty::USIZE, 0, 10, half, |_| n(4)), Answer::No);
}

#[test]
fn a_function_of_another_type_is_another_function() {
    let ones = |ty: Ty| {
        move |i: Expr| {
            let bits = Expr::call(Ty::Int(Int::U32), Func::CountOnes, vec![i.cast(ty) + Expr::int(ty, 200)]);
            bits.cast(Ty::USIZE)
        }
    };
    // 56 + 200 has no bit as a byte and one as two bytes
    assert_eq!(meet(Ty::USIZE, 56, 57, ones(U8), |i| ones(Ty::Int(Int::U16))(i)), Answer::Unknown);
    let (one, two) = (ones(U8), ones(Ty::Int(Int::U16)));
    let mut b = Builder::new();
    let y = b.slice("y", Ty::F64, Role::InOut);
    let (iter, i) = b.iter("i");
    let reads = [one(i.clone()), one(i.clone()), two(i)].map(|index| b.at(y, vec![index]));
    let value = b.slice("value", Ty::F64, Role::InOut);
    let write = |read: Expr| assign(Place::new(value, vec![n(0)]), read);
    b.program.body = vec![for_loop(iter, n(0), n(99), reads.into_iter().map(write).collect())];
    let analysis = Analysis::new(&b.program);
    let [a, same, other] = analysis.of(y) else { panic!("three accesses") };
    assert!(analysis.always_same_element(*a, *same) && !analysis.always_same_element(*a, *other));
}
