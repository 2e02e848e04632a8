use pardiff::differentiate;

#[differentiate]
fn bits(x: &[f64]) -> f64 {
    x[0].to_bits() as f64
}

fn main() {}
