//! Frames of builds without optimisation: derivatives of long bodies run on a quarter of the stack of a test's thread.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

/// A quarter of what test threads have; the functions below had frames of up to 1.5 MB.
const STACK: usize = 512 << 10;

/// Many functions in a loop with lanes.
#[differentiate(forward, hvp, batch(4))]
pub fn functions(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        let a = (x[i] * y[i]).sin() + x[i];
        let b = (a * y[i]).exp() / (1.0 + a * a);
        let c = (a + b).ln() * (b - a).tanh();
        let d = (a * b + c * c).sqrt() + c.cos();
        let e = a * b * c * d + (a - d).atan();
        let f = (e * e + d * d).powf(0.3) + c;
        let g = f.sin() * e.cos() + (d + a).exp();
        let h = g / (f * f + 1.0) + e;
        sum += h * a;
    }
    sum
}

/// Steps of Newton's method until it has converged or failed, in lanes with masks.
#[differentiate(hvp)]
pub fn roots(a: &[f64], b: &[f64]) -> Result<f64, String> {
    let mut sum = 0.0;
    for i in 0..a.len() {
        let mut x = b[i];
        let mut done = false;
        for _ in 0..30 {
            let f = a[i] * x.exp() + 0.1 * b[i] * x.sin() + x - 2.0;
            let slope = a[i] * x.exp() + 0.1 * b[i] * x.cos() + 1.0;
            if slope.abs() < 1e-12 {
                return Err("singular".to_owned());
            }
            let step = f / slope;
            x -= step;
            if step.abs() < 1e-13 {
                done = true;
                break;
            }
        }
        if !done {
            return Err("no convergence".to_owned());
        }
        sum += x * x;
    }
    Ok(sum)
}

/// Runs something on that little stack.
fn on_little_stack(run: fn()) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run);
    thread.expect("a thread").join().expect("no panic");
}

fn points() -> [Vec<f64>; 2] {
    [random(1, 9).iter().map(|v| v + 1.5).collect(), random(2, 9).iter().map(|v| 0.5 * v + 1.0).collect()]
}

#[test]
fn several_products_with_the_hessian_of_many_functions() {
    on_little_stack(|| {
        let [x, y] = points();
        let (mut d_x, mut d_y) = (vec![0.0; 9], vec![0.0; 9]);
        functions::grad(&x, &mut d_x, &y, &mut d_y);
        check(|v| functions(&v[0], &v[1]), &[&x, &y], &[&d_x, &d_y]);
        let (along_x, along_y) = (vec![[1.0, 0.5, -1.0, 2.0]; 9], vec![[0.25, -1.0, 1.0, 0.5]; 9]);
        let (mut of_x, mut of_y) = (vec![[0.0; 4]; 9], vec![[0.0; 4]; 9]);
        functions::hvp_batch(&x, &along_x, &mut of_x, &y, &along_y, &mut of_y);
        for k in 0..4 {
            let along = |all: &[[f64; 4]]| all.iter().map(|v| v[k]).collect::<Vec<_>>();
            let (mut one_x, mut one_y) = (vec![0.0; 9], vec![0.0; 9]);
            functions::hvp(&x, &along(&along_x), &mut one_x, &y, &along(&along_y), &mut one_y);
            assert_near(&along(&of_x), &one_x);
            assert_near(&along(&of_y), &one_y);
        }
    });
}

#[test]
fn a_product_with_the_hessian_of_many_roots() {
    on_little_stack(|| {
        let [a, b] = points();
        let gradient = |a: &[f64]| roots::gradient(a, &b).expect("roots").1;
        let (direction, step) = (vec![1.0; 9], 1e-5);
        let (mut of_a, mut of_b) = (vec![0.0; 9], vec![0.0; 9]);
        roots::hvp(&a, &direction, &mut of_a, &b, &[0.0; 9], &mut of_b).expect("roots");
        let [ahead, behind] = [step, -step].map(|by| gradient(&a.iter().map(|a| a + by).collect::<Vec<_>>()));
        for i in 0..9 {
            let expected = (ahead.a[i] - behind.a[i]) / (2.0 * step);
            assert!(
                (of_a[i] - expected).abs() < 1e-6 * (1.0 + expected.abs()),
                "{i}: {} {expected}",
                of_a[i]
            );
            let expected = (ahead.b[i] - behind.b[i]) / (2.0 * step);
            assert!(
                (of_b[i] - expected).abs() < 1e-6 * (1.0 + expected.abs()),
                "{i}: {} {expected}",
                of_b[i]
            );
        }
    });
}
