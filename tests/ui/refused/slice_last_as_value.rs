use pardiff::differentiate;

#[differentiate]
fn last(x: &[f64]) -> f64 {
    let end = x.last();
    *end.unwrap()
}

fn main() {}
