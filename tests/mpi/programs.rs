//! Programs with messages over MPI: forward and reverse mode agree, summed over ranks. With the argument `short`
//! one rank sends less than the other receives, and all must end.

extern crate mpi;

#[path = "../programs/tests/modes/ranks_kernels.rs"]
mod kernels;
#[path = "../programs/tests/modes/ranks_parts.rs"]
mod parts;
#[path = "../programs/tests/modes/ranks_requests.rs"]
mod requests;

use kernels::*;
use mpi::collective::SystemOperation;
use mpi::traits::*;
use parts::operations::*;
use pardiff::differentiate;
use requests::{crossed, halo, in_helpers, other_numbers, overtaken, overtaking};

#[differentiate]
fn short(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    match world.rank() {
        0 => world.process_at_rank(1).send(&x[..2]),
        1 => {
            world.process_at_rank(0).receive_into(&mut y[..3]);
        }
        _ => world.barrier(),
    }
}

/// Only the last rank returns something: the first one has the seed of a result that all have.
#[differentiate(result = "replicated")]
fn total(world: &impl Communicator, x: f64) -> f64 {
    let mut sum = 0.0;
    world.all_reduce_into(&(x * x), &mut sum, SystemOperation::sum());
    sum * sum
}

fn main() {
    let universe = mpi::initialize().expect("MPI");
    let world = universe.world();
    if std::env::args().any(|argument| argument == "short") {
        short::vjp(&world, &[1.0; 4], &mut [0.0; 4], &mut [0.0; 4], &mut [0.0; 4]);
        return;
    }
    let (rank, n) = (world.rank(), 5);
    let (x, x_dot, w) = (numbers(rank, 1, n), numbers(rank, 2, n), numbers(rank, 3, n));
    let mut checked = 0;
    macro_rules! check {
        ($($name:ident)*) => {
            $(
                let (mut y, mut y_dot) = (vec![0.0; n], vec![0.0; n]);
                $name::jvp(&world, &x, &x_dot, &mut y, &mut y_dot);
                let (mut again, mut d_x, mut d_y) = (vec![0.0; n], vec![0.0; n], w.clone());
                $name::vjp(&world, &x, &mut d_x, &mut again, &mut d_y);
                assert!(are_close(&y, &again), "{}", stringify!($name));
                let mut both = [0.0_f64; 2];
                let own = [dot(&w, &y_dot), dot(&d_x, &x_dot)];
                world.all_reduce_into(&own[..], &mut both[..], SystemOperation::sum());
                assert!((both[0] - both[1]).abs() < 1e-6, "{}: {both:?}", stringify!($name));
                checked += 1;
            )*
        };
    }
    check!(pairs ring chain sums one_sum broadcast through_a_root blocks unused_here singles rod ends);
    check!(gathered_by_all gathered_numbers through_a_root_in_parts all_to_all all_to_all_in_parts scans);
    check!(received_as_values exchanged_as_values);
    check!(halo crossed overtaken overtaking in_helpers other_numbers);
    let (value, gradient) = total::gradient(&world, f64::from(rank + 1));
    let sum: f64 = (1..=world.size()).map(|k| f64::from(k * k)).sum();
    assert_eq!((value, gradient.x), (sum * sum, 2.0 * sum * 2.0 * f64::from(rank + 1)));
    if rank == 0 {
        println!("{} ranks: {checked} operations and a gradient are right", world.size());
    }
}
