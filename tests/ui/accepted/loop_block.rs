//! A labelled block, and `let … else`.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64], k: usize) -> f64 {
    let 0..=2 = k else { return x[0] };
    let scale = 'found: {
        for v in x {
            if *v > 1.0 {
                break 'found *v;
            }
        }
        1.0
    };
    scale * x[k]
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0, 3.0], 2);
    assert_eq!((value, gradient.x), (6.0, vec![0.0, 3.0, 2.0]));
    assert_eq!(f::gradient(&[1.0, 2.0, 3.0], 3).1.x, vec![1.0, 0.0, 0.0]);
}
