//! Names of the crate `mpi` that `ranks` does not have.

use pardiff::differentiate;

#[differentiate]
fn product(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    world.all_reduce_into(&x[..], &mut y[..], SystemOperation::product());
}

#[differentiate]
fn wildcard(world: &impl Communicator, x: f64) -> f64 {
    let mut y = 0.0;
    world.any_process().receive_into(&mut y);
    x * y
}

#[differentiate]
fn made_inside(world: &impl Communicator, x: f64) -> f64 {
    let rows = world.split_by_color(Color::with_value(0));
    x
}

#[differentiate]
fn unknown_length(world: &impl Communicator, x: f64) -> f64 {
    let (y, _) = world.process_at_rank(0).receive_vec::<f64>();
    x * y[0]
}

#[differentiate]
fn not_waited_for(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    mpi::request::scope(|scope| {
        world.immediate_all_to_all_into(scope, &x[..], &mut y[..]).wait();
    });
}

#[differentiate]
fn in_a_graph(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    world.neighbor_all_gather_into(&x[..], &mut y[..]);
}

fn main() {}
