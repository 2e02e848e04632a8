use pardiff::differentiate;

#[differentiate]
fn halve(x: &[f64]) -> f64 {
    let mut total = x[0];
    while total > 1.0 {
        total *= 0.5;
    }
    total
}

fn main() {}
