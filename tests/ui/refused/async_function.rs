use pardiff::differentiate;

#[differentiate]
async fn first(x: &[f64]) -> f64 {
    x[0] * x[0]
}

fn main() {}
