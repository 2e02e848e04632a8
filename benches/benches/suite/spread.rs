//! Small gradients called very often: a camera projection with fifteen numbers, by hand and generated.

use crate::allocations;
use crate::json;
use crate::machine::Machine;
use pardiff_workloads::by_hand;
use pardiff_workloads::data::Lcg;
use pardiff_workloads::projection::projection;
use pardiff_workloads::projection_scalars::projection_scalars;
use std::fmt;
use std::hint::black_box;
use std::time::Instant;

/// Nanoseconds a call, and allocations of a million calls.
pub struct Spread {
    case: &'static str,
    nanoseconds: f64,
    by_hand: f64,
    allocations: usize,
}

const CALLS: usize = 1_000_000;
const ROUNDS: usize = 7;
const SCENES: usize = 64;

struct Scene {
    camera: [f64; 11],
    point: [f64; 3],
    weight: f64,
    feature: [f64; 2],
}

#[derive(Default)]
struct Adjoint {
    camera: [f64; 11],
    point: [f64; 3],
    weight: f64,
}

/// Both forms of the projection, each in turn with the gradient by hand.
pub fn measure() -> [Spread; 2] {
    let mut random = Lcg(17);
    let scenes: Vec<Scene> = (0..SCENES)
        .map(|_| {
            let mut camera: [f64; 11] = std::array::from_fn(|_| random.float(-0.5, 0.5));
            camera[6] += 400.0;
            let point = [random.float(-1.0, 1.0), random.float(-1.0, 1.0), random.float(-4.0, -2.0)];
            Scene { camera, point, weight: random.float(0.1, 1.0), feature: [1.0, -2.0] }
        })
        .collect();
    let hand = |s: &Scene, d: &mut Adjoint| {
        let (d_camera, d_point) = (&mut d.camera, &mut d.point);
        by_hand::projection(&s.camera, d_camera, &s.point, d_point, s.weight, &mut d.weight, &s.feature)
    };
    let arrays = |s: &Scene, d: &mut Adjoint| {
        let (d_camera, d_point) = (&mut d.camera, &mut d.point);
        projection::grad(&s.camera, d_camera, &s.point, d_point, s.weight, &mut d.weight, &s.feature)
    };
    let scalars = |s: &Scene, d: &mut Adjoint| {
        let [r0, r1, r2, c0, c1, c2, f, u, v, k1, k2] = s.camera;
        let [x0, x1, x2] = s.point;
        let [d_r0, d_r1, d_r2, d_c0, d_c1, d_c2, d_f, d_u, d_v, d_k1, d_k2] = &mut d.camera;
        let [d_x0, d_x1, d_x2] = &mut d.point;
        projection_scalars::grad(
            r0,
            d_r0,
            r1,
            d_r1,
            r2,
            d_r2,
            c0,
            d_c0,
            c1,
            d_c1,
            c2,
            d_c2,
            f,
            d_f,
            u,
            d_u,
            v,
            d_v,
            k1,
            d_k1,
            k2,
            d_k2,
            x0,
            d_x0,
            x1,
            d_x1,
            x2,
            d_x2,
            s.weight,
            &mut d.weight,
            &s.feature,
        )
    };
    [
        compare("15 numbers in arrays", &scenes, arrays, hand),
        compare("15 scalar arguments", &scenes, scalars, hand),
    ]
}

fn compare(
    case: &'static str,
    scenes: &[Scene],
    generated: impl Fn(&Scene, &mut Adjoint) -> f64,
    by_hand: impl Fn(&Scene, &mut Adjoint) -> f64,
) -> Spread {
    let mut spread = Spread { case, nanoseconds: f64::MAX, by_hand: f64::MAX, allocations: 0 };
    for _ in 0..ROUNDS {
        let (nanoseconds, allocations) = allocations::count(|| million(scenes, &generated));
        spread.nanoseconds = spread.nanoseconds.min(nanoseconds);
        spread.allocations = spread.allocations.max(allocations);
        spread.by_hand = spread.by_hand.min(million(scenes, &by_hand));
    }
    spread
}

/// Nanoseconds a call, over a million.
fn million(scenes: &[Scene], gradient: &impl Fn(&Scene, &mut Adjoint) -> f64) -> f64 {
    let mut adjoint = Adjoint::default();
    let mut sum = 0.0;
    let start = Instant::now();
    for call in 0..CALLS {
        sum += gradient(black_box(&scenes[call % SCENES]), black_box(&mut adjoint));
    }
    let elapsed = start.elapsed();
    black_box(sum);
    elapsed.as_nanos() as f64 / CALLS as f64
}

impl Spread {
    /// As a line of JSON.
    pub fn json(&self, machine: &Machine) -> String {
        json::Object::new()
            .text("workload", "projection")
            .text("case", self.case)
            .number("threads", 1.0)
            .number("grad_ns", self.nanoseconds)
            .number("by_hand_ns", self.by_hand)
            .number("ratio_to_scalar", self.nanoseconds / self.by_hand)
            .number("allocations", self.allocations as f64)
            .text("machine", &machine.name)
            .text("isa", machine.isa)
            .finish()
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spread { case, nanoseconds, by_hand, allocations } = self;
        write!(
            f,
            "projection, {case}: {nanoseconds:.1} ns a call, by hand {by_hand:.1} ns, ratio {:.2}; {allocations} \
             allocations in a million calls",
            nanoseconds / by_hand
        )
    }
}
