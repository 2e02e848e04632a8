use pardiff::differentiate;

#[differentiate(wrt(x, n))]
fn sum(x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        total += x[i] * x[i];
    }
    total
}

fn main() {}
