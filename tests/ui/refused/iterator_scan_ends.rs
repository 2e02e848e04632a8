use pardiff::differentiate;

#[differentiate]
fn running(x: &[f64]) -> f64 {
    x.iter()
        .scan(0.0, |state, v| {
            *state += v;
            if *state < 1.0 { Some(*state) } else { None }
        })
        .sum()
}

fn main() {}
