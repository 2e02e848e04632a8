use pardiff::differentiate;

#[differentiate]
fn running(x: &[f64]) -> f64 {
    x.iter()
        .scan(1.0, |state, v| {
            *state *= v;
            Some(*state)
        })
        .sum()
}

pub fn main() {
    let (value, g) = running::gradient(&[2.0, 3.0]);
    assert!(value == 8.0 && g.x == [4.0, 2.0]);
}
