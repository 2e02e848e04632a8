use pardiff::differentiate;

#[differentiate]
fn first(x: Vec<f64>) -> f64 {
    x[0] * x[0]
}

fn main() {}
