use pardiff::differentiate;

#[differentiate]
fn named(name: &str, x: &[f64]) -> f64 {
    x[name.len()] * 2.0
}

fn main() {}
