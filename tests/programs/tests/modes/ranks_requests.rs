//! Messages that do not wait, by the names that the crate `mpi` has: the tests over that crate run this file as it
//! is. Each kernel is a function of five numbers of each rank to five numbers of each rank.

#![allow(clippy::redundant_slicing, reason = "messages as users of the crate `mpi` write them")]

use crate::mpi::collective::SystemOperation;
use crate::mpi::point_to_point as p2p;
use crate::mpi::request::{self, LocalScope, Request, WaitGuard};
use crate::mpi::traits::*;
use pardiff::differentiate;

/// A rod with a cell of each neighbour at its ends: both receives are posted before anything is sent.
#[differentiate(forward)]
pub fn halo(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size, n) = (world.rank(), world.size(), x.len());
    let mut u = vec![0.0; n + 2];
    u[1..=n].copy_from_slice(x);
    for _ in 0..3 {
        let (mut left, mut right) = ([0.0], 0.0);
        request::scope(|scope| {
            if rank > 0 {
                let other = world.process_at_rank(rank - 1);
                let receive = other.immediate_receive_into_with_tag(scope, &mut left[..], 1);
                let send = other.immediate_send_with_tag(scope, &u[1..2], 2);
                receive.wait();
                send.wait();
            }
            if rank + 1 < size {
                let other = world.process_at_rank(rank + 1);
                let receive = other.immediate_receive_into_with_tag(scope, &mut right, 2);
                let send = other.immediate_send_with_tag(scope, &u[n], 1);
                send.wait();
                receive.wait();
            }
        });
        (u[0], u[n + 1]) = (left[0], right);
        for i in 1..=n {
            y[i - 1] = u[i] + 0.2 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * (1.0 + u[i] * u[i]);
        }
        u[1..=n].copy_from_slice(y);
    }
}

/// Two messages of one line, in a vector that is waited for from both ends.
#[differentiate(forward)]
pub fn crossed(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) =
        (world.process_at_rank((rank + 1) % size), world.process_at_rank((rank + size - 1) % size));
    let (a, b) = y.split_at_mut(2);
    let (t, s) = ([x[0] * x[0], x[1] * x[2]], [x[3] * x[4], x[4] * x[0]]);
    request::scope(|scope| {
        let mut requests = Vec::new();
        requests.push(before.immediate_receive_into(scope, &mut a[..]));
        requests.push(before.immediate_receive_into(scope, &mut b[1..3]));
        requests.push(next.immediate_send(scope, &t[..]));
        requests.push(next.immediate_send(scope, &s[..]));
        if rank % 2 == 0 {
            for request in requests {
                request.wait();
            }
        } else {
            while let Some(request) = requests.pop() {
                request.wait();
            }
        }
    });
}

/// The message that is sent first ends last: its adjoint begins first, and the other side sends it last.
#[differentiate(forward)]
pub fn overtaken(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size) = (world.rank(), world.size());
    if rank % 2 == 0 && rank + 1 < size {
        let other = world.process_at_rank(rank + 1);
        request::scope(|scope| {
            let first = other.immediate_send(scope, &x[..2]);
            other.send(&x[2..4]);
            first.wait();
        });
    }
    if rank % 2 == 1 {
        let other = world.process_at_rank(rank - 1);
        let mut got = [0.0; 2];
        other.receive_into(&mut got);
        other.receive_into(&mut y[2..4]);
        (y[0], y[1]) = (got[0] * got[1], 3.0 * got[0]);
    }
}

/// The same with the side that receives, which waits for the second of three messages first.
#[differentiate(forward)]
pub fn overtaking(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size) = (world.rank(), world.size());
    let (mut first, mut third, mut sum) = ([0.0; 2], [0.0; 2], 0.0);
    if rank % 2 == 1 {
        let other = world.process_at_rank(rank - 1);
        request::scope(|scope| {
            let _first = WaitGuard::from(other.immediate_receive_into(scope, &mut first[..]));
            other.receive_into(&mut y[..2]);
            let _third = WaitGuard::from(other.immediate_receive_into(scope, &mut third[..]));
        });
        p2p::send_receive_into(&x[..1], &other, &mut y[4..], &other);
    }
    if rank % 2 == 0 && rank + 1 < size {
        let other = world.process_at_rank(rank + 1);
        for k in 0..3 {
            other.send(&[x[k] * x[k], x[k + 1] * x[k + 2]]);
        }
        p2p::send_receive_into(&x[4..], &other, &mut y[4..], &other);
    }
    world.all_reduce_into(&(first[0] * first[1] + third[0] * x[1]), &mut sum, SystemOperation::sum());
    y[3] += sum * third[1];
}

/// A helper that begins, and one that waits; a rank that is not there has no request.
#[differentiate(forward)]
pub fn in_helpers(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    fn begin<'a, 'b>(
        scope: &'b LocalScope<'a>,
        world: &impl Communicator,
        from: i32,
        to: &'a mut [f64],
    ) -> Request<'a, [f64], &'b LocalScope<'a>> {
        world.process_at_rank(from).immediate_receive_into(scope, to)
    }
    fn end<'a>(request: Request<'a, [f64], &LocalScope<'a>>) {
        request.wait_without_status();
    }
    let (rank, size) = (world.rank(), world.size());
    let before = (rank > 0).then(|| world.process_at_rank(rank - 1));
    for k in 0..2 {
        let mut got = [0.0; 3];
        let mine = [x[k] * x[k + 1], x[k + 2], y[k] + 1.0];
        let from_left = request::scope(|scope| {
            let mut request = None;
            if let Some(before) = &before {
                request = Some(begin(scope, world, before.rank(), &mut got[..]));
            }
            if rank + 1 < size {
                world.process_at_rank(rank + 1).immediate_send(scope, &mine[..]).wait();
            }
            match request {
                Some(request) => {
                    end(request);
                    1.0
                }
                None => 0.5,
            }
        });
        for i in 0..3 {
            y[k + i] += from_left * got[i] * (got[0] + x[i]);
        }
    }
}

/// Singles and whole numbers, and a pass through the closure that ends early.
#[differentiate(forward)]
pub fn other_numbers(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) =
        (world.process_at_rank((rank + 1) % size), world.process_at_rank((rank + size - 1) % size));
    let (mut single, mut whole) = ([0.0_f32; 3], 0);
    let mine = [x[0] as f32, x[1] as f32, 2.0 * x[2] as f32];
    request::scope(|scope| {
        let a = before.immediate_receive_into_with_tag(scope, &mut single[..2], 3);
        let b = before.immediate_receive_into_with_tag(scope, &mut whole, 4);
        let c = next.immediate_send_with_tag(scope, &mine[1..], 3);
        next.immediate_send_with_tag(scope, &rank, 4).wait();
        b.wait();
        c.wait();
        a.wait();
        if rank == 0 {
            return;
        }
        next.immediate_send_with_tag(scope, &mine[..1], 5).wait();
    });
    if before.rank() != 0 {
        before.receive_into_with_tag(&mut single[2..], 5);
    }
    for k in 0..3 {
        y[k] = f64::from(single[k]) * f64::from(whole + 1) * x[3];
    }
}
