//! A symplectic integrator: four scalars over time, block expressions, an energy that is kept.

use pardiff::differentiate;
use pardiff_programs::check;

#[differentiate]
pub fn angle_after(mut a: f64, mut b: f64, length: f64, steps: usize) -> (f64, f64) {
    let mut pa = 0.0;
    let mut pb = 0.0;
    let dt = 0.05;
    for _ in 0..steps {
        let (fa, fb) = {
            let coupling = (a - b).sin();
            (-9.81 / length * a.sin() - coupling, -9.81 / length * b.sin() + coupling)
        };
        pa += dt * fa;
        pb += dt * fb;
        a += dt * pa;
        b += dt * pb;
    }
    (a, b)
}

#[test]
fn sensitivities() {
    let (mut d_a, mut d_b, mut d_length) = (0.0, 0.0, 0.0);
    angle_after::vjp(0.7, &mut d_a, -0.2, &mut d_b, 1.1, &mut d_length, 12, (1.0, -0.5));
    let run = |v: &[Vec<f64>]| {
        let (a, b) = angle_after(v[0][0], v[0][1], v[0][2], 12);
        a - 0.5 * b
    };
    check(run, &[&[0.7, -0.2, 1.1]], &[&[d_a, d_b, d_length]]);
}
