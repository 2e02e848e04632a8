use pardiff::differentiate;

#[differentiate]
fn last(x: &[f64]) -> f64 {
    let mut stack = x.to_vec();
    while !stack.is_empty() {
        if let Some(v) = stack.pop() {
            return v * v;
        }
    }
    0.0
}

pub fn main() {
    let (value, g) = last::gradient(&[1.0, 3.0]);
    assert!(value == 9.0 && g.x == [0.0, 6.0]);
}
