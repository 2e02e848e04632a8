//! Messages that do not wait, by names of the crate `mpi`.

use pardiff::differentiate;
use pardiff::ranks::Process;
use pardiff::ranks::request::{LocalScope, Request};

#[differentiate]
fn in_another_scope(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let other = world.process_at_rank(0);
    request::scope(|outer| {
        let send = other.immediate_send(outer, &x[..]);
        request::scope(|inner| other.immediate_receive_into(inner, &mut y[..]).wait());
        send.wait();
    });
}

#[differentiate]
fn for_ever(world: &impl Communicator, x: f64) -> f64 {
    world.process_at_rank(0).immediate_send(StaticScope, &ONE).wait();
    x
}

const ONE: f64 = 1.0;

#[differentiate]
fn asks(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    request::scope(|scope| {
        let request = world.process_at_rank(0).immediate_send(scope, &x[..]);
        if let Err(request) = request.test() {
            y[0] = 1.0;
            request.wait();
        }
    });
}

#[differentiate]
fn looks_inside(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let mut got = vec![0.0; x.len()];
    request::scope(|scope| {
        let got = world.process_at_rank(0).immediate_receive_into(scope, &mut got[..]).wait_for_data();
        y[0] = got[0];
    });
}

#[differentiate]
fn any_of_them(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    request::multiple_scope(1, |scope, requests| {
        requests.add(world.process_at_rank(0).immediate_send(scope, &x[..]));
        while let Some((at, _, _)) = requests.wait_any() {
            y[at] = 1.0;
        }
    });
}

#[differentiate]
fn any_of_a_vector(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    request::scope(|scope| {
        let mut requests = vec![world.process_at_rank(0).immediate_send(scope, &x[..])];
        request::wait_any(&mut requests);
    });
    y[0] = x[0];
}

#[differentiate]
fn cancelled(world: &impl Communicator, x: f64) -> f64 {
    request::scope(|scope| {
        let _guard = CancelGuard::from(world.process_at_rank(0).immediate_send(scope, &x));
    });
    x
}

#[differentiate]
fn of_all(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    request::scope(|scope| {
        let root = world.process_at_rank(0);
        root.immediate_broadcast_into(scope, &mut y[..]).wait();
        root.immediate_ready_send(scope, &x[..]).wait();
    });
}

#[differentiate]
fn from_the_caller(world: &impl Communicator, scope: &LocalScope<'_>, x: f64) -> f64 {
    world.process_at_rank(0).immediate_send(scope, &1.0).wait();
    x
}

#[differentiate]
fn waits_for_the_caller(request: Request<'static, f64>, x: f64) -> f64 {
    request.wait();
    x
}

#[differentiate]
fn to_the_caller(other: &Process<'_>, x: f64) -> f64 {
    other.send(&x);
    x
}

#[differentiate]
fn elsewhere(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let body = |scope: &LocalScope<'_>| world.process_at_rank(0).immediate_send(scope, &x[..]).wait();
    request::scope(body);
    y[0] = x[0];
}

#[differentiate]
fn reads_what_completed(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    request::multiple_scope(1, |scope, requests| {
        requests.add(world.process_at_rank(0).immediate_send(scope, &x[..]));
        let mut completed = Vec::new();
        requests.wait_all(&mut completed);
        y[0] = completed[0].2[0];
    });
}

fn main() {}
