//! Random programs with messages through the macro, compiled and run on ranks that are threads: values, tangents and
//! adjoints are those of the compiler's oracle.
//!
//! `PARDIFF_SEED` is the first program, `PARDIFF_MESSAGES` how many.

use pardiff::ranks::{self, SimpleCommunicator, traits::*};

/// What a rank is given, what dual numbers say that it leaves, and the weights of that.
struct Rank {
    x: [f64; 4],
    x_dot: [f64; 4],
    y: [f64; 4],
    y_dot: [f64; 4],
    left: [f64; 4],
    left_dot: [f64; 4],
    weights: [f64; 4],
}

type Value<'a> = &'a (dyn Fn(&SimpleCommunicator, &[f64], &mut [f64]) + Sync);
type Vjp<'a> = &'a (dyn Fn(&SimpleCommunicator, &[f64], &mut [f64], &mut [f64], &mut [f64]) + Sync);
type Jvp<'a> = &'a (dyn Fn(&SimpleCommunicator, &[f64], &[f64], &mut [f64], &mut [f64]) + Sync);

#[track_caller]
fn close(what: &str, found: &[f64], expected: &[f64]) {
    let scale = expected.iter().fold(1.0, |scale: f64, x| scale.max(x.abs()));
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-9 * scale, "{what}: {found:?} instead of {expected:?}");
    }
}

fn dot(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// One side of `<w, J v> = <J^T w, v>` is the oracle's.
fn check(given: &[Rank], value: Value<'_>, vjp: Vjp<'_>, jvp: Jvp<'_>) {
    for rendezvous in [false, true] {
        let world = ranks::world(given.len());
        let world = if rendezvous { world.rendezvous() } else { world };
        let (sums, _) = world.run(|world| {
            let Rank { x, x_dot, y, y_dot, left, left_dot, weights } = &given[world.rank() as usize];
            let mut plain = *y;
            value(world, x, &mut plain);
            close("the function itself", &plain, left);
            let (mut forward, mut along) = (*y, *y_dot);
            jvp(world, x, x_dot, &mut forward, &mut along);
            close("value with tangents", &forward, left);
            close("tangents", &along, left_dot);
            let (mut reverse, mut d_x, mut d_y) = (*y, [0.0; 4], *weights);
            vjp(world, x, &mut d_x, &mut reverse, &mut d_y);
            close("value with adjoints", &reverse, left);
            [dot(weights, left_dot), dot(&d_x, x_dot) + dot(&d_y, y_dot)]
        });
        let [expected, found] = [0, 1].map(|side| sums.iter().map(|sums| sums[side]).sum::<f64>());
        let scale: f64 = sums.iter().map(|sums| sums[0].abs()).sum();
        assert!((expected - found).abs() <= 1e-9 * scale.max(1.0), "adjoints: {found} instead of {expected}");
    }
}

#[allow(warnings, reason = "nobody wrote these")]
mod programs {
    use super::{Rank, check};
    include!(concat!(env!("OUT_DIR"), "/random_messages.rs"));
}
