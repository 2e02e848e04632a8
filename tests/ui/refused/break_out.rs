use pardiff::differentiate;

#[differentiate]
fn until_negative(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        if x[i] < 0.0 {
            break;
        }
        total += x[i] * x[i];
    }
    total
}

fn main() {}
