//! A function that another macro makes: its tokens come in groups, one copy for each float type.

use pardiff_programs::{check, check_single, random};

macro_rules! rosenbrock {
    ($name:ident, $float:ty, $scale:expr) => {
        #[pardiff::differentiate]
        pub fn $name(x: &[$float]) -> $float {
            let mut sum = 0.0;
            for i in 0..x.len() - 1 {
                let a = x[i + 1] - x[i] * x[i];
                let b = 1.0 - x[i];
                sum += $scale * a * a + b * b;
            }
            sum
        }
    };
}

rosenbrock!(double, f64, 100.0);
rosenbrock!(single, f32, 2.0 + 1.0);

#[test]
fn both_copies() {
    let x = random(1, 5);
    let (value, gradient) = double::gradient(&x);
    assert_eq!(value, double(&x));
    check(|v| double(&v[0]), &[&x], &[&gradient.x]);
    let narrow = |v: &[f64]| -> Vec<f32> { v.iter().map(|x| *x as f32).collect() };
    // the argument stays one operand
    assert_eq!(single(&[1.0, 2.0]), 3.0);
    let (_, gradient) = single::gradient(&narrow(&x));
    let found: Vec<f64> = gradient.x.iter().map(|x| f64::from(*x)).collect();
    check_single(|v| f64::from(single(&narrow(&v[0]))), &[&x], &[&found]);
}
