use pardiff::differentiate;

#[differentiate]
fn squares(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x.iter() {
        total += v * v;
    }
    total
}

fn main() {}
