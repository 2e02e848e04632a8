use pardiff::differentiate;

#[differentiate]
fn picked(x: &[f64], k: &[usize]) -> f64 {
    let mut total = 0.0;
    for i in 0..k.len() {
        total += x[if k[i] < x.len() { k[i] } else { break }];
    }
    total
}

fn main() {}
