use pardiff::differentiate;
use pardiff::ranks;
use pardiff::ranks::SystemOperation;
use pardiff::ranks::traits::*;

#[differentiate(hvp)]
fn total(world: &impl Communicator, x: f64) -> f64 {
    let mut sum = 0.0;
    world.all_reduce_into(&x, &mut sum, SystemOperation::sum());
    sum
}

#[differentiate(result = "partial")]
fn of_one_rank(x: f64) -> f64 {
    x
}

#[differentiate(result = "both")]
fn unknown_word(world: &impl Communicator, x: f64) -> f64 {
    f64::from(world.rank()) * x
}

fn main() {
    ranks::run(2, |world| total::gradient(world, 1.0));
    ranks::run(2, |world| total::hvp(world, 1.0, 1.0, &mut 0.0));
    ranks::run(2, |world| total::vjp(world, 1.0, &mut 0.0, 0.5));
}
