use pardiff::differentiate;

#[differentiate]
fn added(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += 1.0 + if x[i] > 0.0 { x[i] } else { continue };
    }
    total
}

fn main() {}
