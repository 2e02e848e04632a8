use pardiff::differentiate;

#[differentiate]
fn over(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x[0] {
        total += v;
    }
    total
}

fn main() {}
