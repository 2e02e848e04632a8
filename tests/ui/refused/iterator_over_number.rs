use pardiff::differentiate;

#[differentiate]
fn once(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in std::iter::once(x[0]) {
        total += v;
    }
    total
}

fn main() {}
