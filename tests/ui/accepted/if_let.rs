use pardiff::differentiate;

#[differentiate]
fn first(x: &[f64]) -> f64 {
    let mut y = 0.0;
    if let Some(head) = x.first() {
        y = head * head;
    }
    y
}

pub fn main() {
    let (value, g) = first::gradient(&[3.0]);
    assert!(value == 9.0 && g.x == [6.0]);
}
