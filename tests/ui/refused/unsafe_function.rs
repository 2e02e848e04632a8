use pardiff::differentiate;

#[differentiate]
unsafe fn first(x: &[f64]) -> f64 {
    x[0] * x[0]
}

fn main() {}
