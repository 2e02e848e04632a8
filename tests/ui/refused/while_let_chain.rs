use pardiff::differentiate;

#[differentiate]
fn popped(x: &[f64]) -> f64 {
    let mut stack = x.to_vec();
    let mut total = 0.0;
    while let Some(v) = stack.pop()
        && v > 0.0
    {
        total += v;
    }
    total
}

fn main() {}
