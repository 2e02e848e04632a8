use pardiff::differentiate;

#[differentiate]
fn large(x: &[f64], n: u128) -> f64 {
    let limit: u128 = 300000000000000000000000000000000000000;
    if n > limit { x[0] } else { x[0] * x[0] }
}

fn main() {}
