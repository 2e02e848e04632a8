use pardiff::differentiate;

#[differentiate]
fn popped(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    y.pop().unwrap_or(y.len() as f64)
}

fn main() {}
