use pardiff::differentiate;

#[differentiate]
fn at(x: &[f64], i: usize) -> f64 {
    *x.get(i).unwrap_or(&0.0)
}

fn main() {}
