use pardiff::differentiate;

#[differentiate]
fn popped(x: &[f64]) -> f64 {
    let mut stack = x.to_vec();
    let mut total = 0.0;
    while let Some(v) = stack.pop() {
        total += v;
    }
    total
}

pub fn main() {
    let (value, g) = popped::gradient(&[1.0, 2.0]);
    assert!(value == 3.0 && g.x == [1.0, 1.0]);
}
