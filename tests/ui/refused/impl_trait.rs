use pardiff::differentiate;

#[differentiate]
fn total(x: &[f64], weight: impl Fn(usize) -> f64) -> f64 {
    x[0] * weight(0)
}

fn main() {}
