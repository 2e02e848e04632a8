use pardiff::differentiate;

#[differentiate]
fn count(x: &[f64]) -> f64 {
    let mut i = 0;
    let mut total = 0.0;
    loop {
        if i == x.len() {
            break;
        }
        total += x[i] * x[i];
        i += 1;
    }
    total
}

fn main() {}
