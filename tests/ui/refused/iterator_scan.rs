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

fn main() {}
