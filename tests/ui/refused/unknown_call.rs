use pardiff::differentiate;

fn activation(x: f64) -> f64 {
    x.tanh()
}

#[differentiate]
fn loss(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += activation(x[i]);
    }
    total
}

fn main() {}
