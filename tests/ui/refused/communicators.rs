use pardiff::differentiate;
use pardiff::ranks::point_to_point::send_receive_into;
use pardiff::ranks::traits::*;
use pardiff::ranks::{SimpleCommunicator, SystemOperation};

/// A function of users, in place of an operation of MPI.
struct UserOperation;

impl UserOperation {
    fn commutative(_: fn()) -> SystemOperation {
        SystemOperation::sum()
    }
}

#[differentiate]
fn own_operation(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    world.all_reduce_into(&x[..], &mut y[..], UserOperation::commutative(|| {}));
}

#[differentiate]
fn by_value(world: SimpleCommunicator, x: f64) -> f64 {
    let mut total = 0.0;
    world.all_reduce_into(&x, &mut total, SystemOperation::sum());
    total
}

#[differentiate]
fn not_mutable(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let root = world.process_at_rank(0);
    root.receive_into(&x[..1]);
    y[0] = x[0];
}

#[differentiate]
fn tuples(world: &impl Communicator, x: f64) -> f64 {
    let pair = [(x, 1.0)];
    world.process_at_rank(0).send(&pair[..]);
    x
}

#[differentiate]
fn flags(world: &impl Communicator, x: f64) -> f64 {
    let (mine, mut any) = (x > 0.0, false);
    world.all_reduce_into(&mine, &mut any, SystemOperation::max());
    if any { x } else { 0.0 }
}

#[differentiate]
fn of_two_types(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let other = world.process_at_rank(0);
    let mut got = [0.0_f32; 2];
    send_receive_into(&x[..2], &other, &mut got[..], &other);
    y[0] = f64::from(got[0]);
}

#[differentiate]
fn blocks_of_the_least(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    world.reduce_scatter_block_into(&x[..], &mut y[..], SystemOperation::min());
}

#[differentiate]
fn scan_of_the_least(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    world.scan_into(&x[..], &mut y[..], SystemOperation::min());
}

#[differentiate]
fn in_segments(world: &impl Communicator, x: &mut [f64], steps: usize) {
    let mut step = 0;
    #[checkpoint]
    while step < steps {
        let (mine, mut all) = (x[0].sin(), 0.0);
        world.all_reduce_into(&mine, &mut all, SystemOperation::sum());
        for i in 0..x.len() {
            x[i] = (all * x[i]).sin();
        }
        step += 1;
    }
}

#[differentiate]
fn of_other_lengths(world: &impl Communicator, x: &mut [f64], steps: usize) {
    #[checkpoint]
    for step in 0..steps {
        let mut all = vec![0.0; step + 1];
        world.all_reduce_into(&x[..step + 1], &mut all[..], SystemOperation::sum());
        for i in 0..x.len() {
            x[i] = (all[step] * x[i]).sin();
        }
    }
}

#[differentiate]
fn in_parallel(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    #[parallel]
    for i in 0..x.len() {
        world.all_reduce_into(&x[i], &mut y[i], SystemOperation::sum());
    }
}

#[differentiate(check, cuda)]
fn options(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    world.all_reduce_into(&x[..], &mut y[..], SystemOperation::sum());
}

#[differentiate]
fn may_fail(world: &impl Communicator, x: f64) -> Option<f64> {
    if world.rank() == 0 { Some(x) } else { None }
}

fn main() {}
