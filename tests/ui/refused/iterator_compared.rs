use pardiff::differentiate;

#[differentiate]
fn largest(x: &[f64]) -> f64 {
    *x.iter().max_by(|a, b| if a > b { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less }).unwrap()
}

fn main() {}
