//! Each operation between ranks by itself: what one direction does to what is received, weighted, is what the weights do to
//! what is sent, summed over ranks. And the reverse sweep sends as many messages and bytes as the function.

use crate::ranks_kernels::*;
use pardiff::differentiate;
use pardiff::ranks::traits::*;
use pardiff::ranks::{self, SimpleCommunicator, point_to_point as p2p};

/// Rows of a matrix, which not every engine has, and whole numbers beside them.
#[differentiate(forward)]
fn rows(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) =
        (world.process_at_rank((rank + 1) % size), world.process_at_rank((rank + size - 1) % size));
    let mut send = [[0.0_f32; 2]; 3];
    let mut receive = [[0.0_f32; 2]; 3];
    for k in 0..5 {
        send[k / 2][k % 2] = x[k] as f32;
    }
    let (mine, mut other) = ([rank, 7], [0; 2]);
    p2p::send_receive_into(&send[..2], &next, &mut receive[1..], &before);
    p2p::send_receive_into(&mine, &next, &mut other, &before);
    for k in 0..2 {
        y[k] = f64::from(receive[1 + k][k]) * f64::from(other[0]) * f64::from(other[1]);
    }
}

type Vjp<'a> = &'a (dyn Fn(&SimpleCommunicator, &[f64], &mut [f64], &mut [f64], &mut [f64]) + Sync);
type Jvp<'a> = &'a (dyn Fn(&SimpleCommunicator, &[f64], &[f64], &mut [f64], &mut [f64]) + Sync);
type Value<'a> = &'a (dyn Fn(&SimpleCommunicator, &[f64], &mut [f64]) + Sync);

fn check(name: &str, value: Value<'_>, vjp: Vjp<'_>, jvp: Jvp<'_>, is_single: bool) {
    let n = 5;
    for size in 1..5 {
        for rendezvous in [false, true] {
            let world = if rendezvous { ranks::world(size).rendezvous() } else { ranks::world(size) };
            let ((both, reversed), (_, forward), (_, doubled)) = (
                world.run(|world| {
                    let rank = world.rank();
                    let (x, x_dot, w) = (numbers(rank, 1, n), numbers(rank, 2, n), numbers(rank, 3, n));
                    let (mut y, mut y_dot) = (vec![0.0; n], vec![0.0; n]);
                    jvp(world, &x, &x_dot, &mut y, &mut y_dot);
                    let mut y_again = vec![0.0; n];
                    let before = world.traffic();
                    world.barrier();
                    assert!(world.traffic() != before);
                    let (mut d_x, mut d_y) = (vec![0.0; n], w.clone());
                    vjp(world, &x, &mut d_x, &mut y_again, &mut d_y);
                    assert!(are_close(&y, &y_again), "{name}: {y:?} {y_again:?}");
                    let mut y = vec![0.0; n];
                    value(world, &x, &mut y);
                    assert!(are_close(&y, &y_again), "{name}: {y:?} {y_again:?}");
                    (dot(&w, &y_dot), dot(&d_x, &x_dot))
                }),
                world.run(|world| value(world, &numbers(world.rank(), 1, n), &mut vec![0.0; n])),
                world.run(|world| {
                    let (mut d_x, mut d_y) = (vec![0.0; n], vec![1.0; n]);
                    vjp(world, &numbers(world.rank(), 1, n), &mut d_x, &mut vec![0.0; n], &mut d_y);
                }),
            );
            assert!(reversed.messages > 0);
            let (a, b) = both.iter().fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
            let close = if is_single { 1e-6 } else { 1e-12 };
            assert!((a - b).abs() < close && (size < 2 || a != 0.0), "{name} on {size} ranks: {a} {b}");
            // whole numbers have no adjoints, and who has the smallest number is asked once
            if !["rows", "singles", "ends"].contains(&name) {
                let twice = (2 * forward.messages, 2 * forward.bytes);
                assert_eq!((doubled.messages, doubled.bytes), twice, "{name} on {size} ranks");
            }
        }
    }
}

macro_rules! check {
    ($name:ident) => {
        check!($name, false)
    };
    ($name:ident, $is_single:expr) => {
        check(
            stringify!($name),
            &|world, x, y| $name(world, x, y),
            &|world, x, d_x, y, d_y| $name::vjp(world, x, d_x, y, d_y),
            &|world, x, x_dot, y, y_dot| $name::jvp(world, x, x_dot, y, y_dot),
            $is_single,
        )
    };
}

#[test]
fn the_adjoint_of_each_operation_is_its_transpose() {
    check!(pairs);
    check!(ring);
    check!(chain);
    check!(sums);
    check!(one_sum);
    check!(broadcast);
    check!(through_a_root);
    check!(blocks);
    check!(unused_here);
    check!(rows, true);
    check!(singles, true);
    check!(rod);
    check!(ends);
}
