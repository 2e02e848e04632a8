use pardiff::differentiate;

#[differentiate]
fn first(x: &[f64]) -> f64 {
    let Some(v) = x.first() else { return 0.0 };
    v * v
}

fn main() {}
