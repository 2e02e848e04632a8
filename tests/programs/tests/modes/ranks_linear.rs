//! Each operation between ranks by itself: what one direction does to what is received, weighted, is what the
//! weights do to what is sent, summed over ranks. And the reverse sweep sends as many messages and bytes as the
//! function.

use crate::ranks_kernels::*;
use crate::ranks_parts::operations::*;
use crate::ranks_requests::{crossed, halo, in_helpers, other_numbers, overtaken, overtaking};
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

/// Values that are arrays, which not every engine has.
#[differentiate(forward)]
fn received_arrays(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) =
        (world.process_at_rank((rank + 1) % size), world.process_at_rank((rank + size - 1) % size));
    let (pair, _): ([f64; 2], _) = p2p::send_receive(&[x[0], x[1]], &next, &before);
    y[0] = pair[0] * pair[1];
    if rank == 0 && size > 1 {
        next.send(&[[x[0], x[1]], [x[2] * x[3], x[4]]]);
    }
    if rank == 1 {
        let (got, _) = before.receive::<[[f64; 2]; 2]>();
        y[1] = got[0][0] * got[1][0] + got[0][1] * got[1][1];
    }
}

/// All to all, with pieces of one array and in one collection, which not every engine has.
#[differentiate(forward)]
fn collected(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size, n) = (world.rank(), world.size(), x.len());
    let mut all = vec![0.0; n * size as usize];
    ranks::request::multiple_scope(2 * size as usize, |scope, requests| {
        for (from, piece) in all.chunks_mut(n).enumerate() {
            if from as i32 != rank {
                requests.add(world.process_at_rank(from as i32).immediate_receive_into(scope, piece));
            }
        }
        for to in (0..size).filter(|&to| to != rank) {
            requests.add(world.process_at_rank(to).immediate_send(scope, x));
        }
        let mut completed = Vec::new();
        requests.wait_all(&mut completed);
        assert!(completed.len() == 2 * (size as usize - 1));
    });
    for from in 0..size as usize {
        for i in 0..n {
            y[i] += all[from * n + i] * all[from * n + i] * (1 + from) as f64;
        }
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
            // whole numbers have no adjoints, who has the smallest number is asked once, and an exchange beside
            // requests is two messages
            if !["rows", "singles", "ends", "other_numbers", "overtaking"].contains(&name) {
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
    check!(gathered_by_all);
    check!(gathered_numbers);
    check!(through_a_root_in_parts);
    check!(all_to_all);
    check!(all_to_all_in_parts);
    check!(scans);
    check!(received_as_values);
    check!(exchanged_as_values);
    check!(unused_here);
    check!(received_arrays);
    check!(rows, true);
    check!(singles, true);
    check!(rod);
    check!(ends);
}

#[test]
fn messages_that_do_not_wait_find_their_way_back() {
    check!(halo);
    check!(crossed);
    check!(overtaken);
    check!(overtaking);
    check!(collected);
    check!(in_helpers);
    check!(other_numbers, true);
}

/// Of two requests, one is not waited for: rustc does not see it.
#[differentiate]
fn forgotten(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let own = world.this_process();
    ranks::request::scope(|scope| {
        let send = own.immediate_send(scope, &x[..2]);
        let receive = own.immediate_receive_into(scope, &mut y[..2]);
        send.wait();
        if x[0] > 0.0 {
            receive.wait();
        }
    });
}

/// A tag that derivatives have.
#[differentiate]
fn large_tag(world: &impl Communicator, x: &[f64], y: &mut [f64], tag: i32) {
    let own = world.this_process();
    ranks::request::scope(|scope| {
        let send = own.immediate_send_with_tag(scope, &x[..2], tag);
        own.receive_into_with_tag(&mut y[..2], tag);
        send.wait();
    });
}

/// More messages of a line under way than are told apart, in an order that the other side does not have.
#[differentiate]
fn too_many(world: &impl Communicator, x: &[f64], y: &mut [f64], count: usize) {
    let own = world.this_process();
    ranks::request::scope(|scope| {
        let first = own.immediate_send(scope, &x[..1]);
        for _ in 1..count {
            own.send(&x[1..2]);
        }
        first.wait();
    });
    for _ in 0..count {
        own.receive_into(&mut y[..1]);
    }
}

fn panic_of(of: impl Fn(&SimpleCommunicator) + Sync) -> String {
    let of = std::panic::AssertUnwindSafe(of);
    let panic = std::panic::catch_unwind(|| ranks::run(1, |world| of(world))).expect_err("it panics");
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
        .expect("a text")
}

#[test]
fn requests_that_go_astray_are_panics() {
    let (d_x, y, d_y) = ([0.0; 2], [0.0; 2], [1.0; 2]);
    let text = panic_of(|world| {
        let (mut d_x, mut y, mut d_y) = (d_x, y, d_y);
        forgotten::vjp(world, &[-1.0; 2], &mut d_x, &mut y, &mut d_y);
    });
    assert!(text.contains("forgotten") && text.contains("a request is not waited for"), "{text}");
    let text = panic_of(|world| {
        let (mut d_x, mut y, mut d_y) = (d_x, y, d_y);
        large_tag::vjp(world, &[1.0; 2], &mut d_x, &mut y, &mut d_y, 1 << 14);
    });
    assert!(text.contains("large_tag") && text.contains("the tag 16384 is not below 16384"), "{text}");
    ranks::run(1, |world| {
        let (mut d_x, mut y, mut d_y) = (d_x, y, d_y);
        large_tag::vjp(world, &[1.0; 2], &mut d_x, &mut y, &mut d_y, (1 << 14) - 1);
        assert_eq!((d_x, d_y), ([1.0; 2], [0.0; 2]));
        // the last one of them counts
        let (mut d_x, mut d_y) = ([0.0; 2], [1.0; 2]);
        too_many::vjp(world, &[3.0, 4.0], &mut d_x, &mut y, &mut d_y, 64);
        assert_eq!((d_x, y[0]), ([0.0, 1.0], 4.0));
    });
    let text = panic_of(|world| {
        let (mut d_x, mut y, mut d_y) = (d_x, y, d_y);
        too_many::vjp(world, &[3.0, 4.0], &mut d_x, &mut y, &mut d_y, 66);
    });
    assert!(text.contains("too_many") && text.contains("could be taken for each other"), "{text}");
}
