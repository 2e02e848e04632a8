//! The standard kernels: what must be known of them.

use super::build::*;
use crate::ir::*;
use crate::poly::{Analysis, Answer, Reason};

/// `for i in 0..n { y[i] = y[i] * x[i] }`
#[test]
fn an_update_in_place_overwrites_what_it_read() {
    let mut b = Builder::new();
    let x = b.slice("x", Ty::F64, Role::Input);
    let y = b.slice("y", Ty::F64, Role::InOut);
    let size = b.scalar("n", Ty::USIZE, Role::Input);
    let (i, at) = b.iter("i");
    let product = b.at(y, vec![at.clone()]) * b.at(x, vec![at.clone()]);
    let body = vec![assign(Place::new(y, vec![at]), product)];
    b.program.body = vec![for_loop(i, n(0), b.get(size), body)];
    let analysis = Analysis::new(&b.program);
    let [read, write] = analysis.of(y) else { panic!("two accesses") };
    assert_eq!(analysis.overwritten_after(*read).answer, Answer::Yes);
    assert_eq!(analysis.overwritten_after(*write).answer, Answer::No);
    assert_eq!(analysis.carries(i, *write, *read).answer, Answer::No);
    assert_eq!(analysis.overwritten_after(analysis.of(x)[0]).reason, Reason::NeverWritten);
}

/// `for i in 1..n { y[i] = y[i - 1] * x[i] }`
#[test]
fn a_recurrence_reads_what_is_not_overwritten() {
    let mut b = Builder::new();
    let y = b.slice("y", Ty::F64, Role::InOut);
    let size = b.scalar("n", Ty::USIZE, Role::Input);
    let (i, at) = b.iter("i");
    let before = b.at(y, vec![at.clone() - n(1)]);
    let body = vec![assign(Place::new(y, vec![at]), before)];
    b.program.body = vec![for_loop(i, n(1), b.get(size), body)];
    let analysis = Analysis::new(&b.program);
    let [read, write] = analysis.of(y) else { panic!("two accesses") };
    assert_eq!(analysis.overwritten_after(*read).answer, Answer::No);
    let carried = analysis.carries(i, *write, *read);
    assert_eq!((carried.answer, carried.distance), (Answer::Yes, Some(1)));
    assert_eq!(analysis.carries(i, *read, *write).answer, Answer::No);
}
