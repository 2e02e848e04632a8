//! Jumps out of several loops.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64], n: usize) -> f64 {
    let mut sum = 0.0;
    'rows: for row in x.chunks(n) {
        for v in row {
            if *v > 5.0 {
                break 'rows;
            }
            if *v < 0.0 {
                continue 'rows;
            }
            sum += v * v;
        }
    }
    sum
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, -1.0, 2.0, 2.0, 6.0, 7.0], 2);
    assert_eq!((value, gradient.x), (9.0, vec![2.0, 0.0, 4.0, 4.0, 0.0, 0.0]));
}
