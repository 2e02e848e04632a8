use pardiff::differentiate;

#[differentiate]
pub fn carried(x: &[f64], y: &mut [f64]) {
    #[parallel]
    for i in 1..x.len() {
        y[i] = y[i - 1] + x[i];
    }
}

#[differentiate]
pub fn sum(x: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut last = 0.0;
    #[parallel]
    for i in 0..x.len() {
        total += x[i] * last;
        last = x[i];
    }
    total
}

fn main() {}
