use pardiff::differentiate;

pub mod math {
    pub fn activation(x: f64) -> f64 {
        x.tanh()
    }
}

#[differentiate]
fn loss(x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        total += math::activation(x[i]);
    }
    total
}

fn main() {}
