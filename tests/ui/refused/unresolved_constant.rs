use pardiff::differentiate;

const LIMIT: u16 = 3;

#[differentiate]
fn limited(x: &[f64]) -> f64 {
    let limit = LIMIT;
    if limit > LIMIT { x[0] } else { x[0] * x[0] }
}

fn main() {}
