//! Names that are used again: for other values, other types, in inner blocks and as loop variables.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

#[differentiate]
pub fn layered(x: &[f64], mut scale: f64) -> f64 {
    let n = x.len();
    let x0 = x[0];
    let y = x0 * scale;
    let y = {
        let y = y.sin() + scale;
        let scale = y * y;
        scale * x[n - 1]
    };
    scale += y;
    let mut sum = scale;
    for i in 0..n {
        let y = y * x[i];
        let i = i + 1;
        let y = y + i as f64 * scale;
        sum += y;
    }
    let sum = sum * y;
    sum
}

#[test]
fn gradient() {
    let x = random(1, 4);
    let (value, gradient) = layered::gradient(&x, 0.6);
    assert_near(&[value], &[layered(&x, 0.6)]);
    check(|v| layered(&v[0], v[1][0]), &[&x, &[0.6]], &[&gradient.x, &[gradient.scale]]);
}
