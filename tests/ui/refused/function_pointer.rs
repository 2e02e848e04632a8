use pardiff::differentiate;

#[differentiate]
fn apply(x: &[f64], f: fn(f64) -> f64) -> f64 {
    f(x[0])
}

fn main() {}
