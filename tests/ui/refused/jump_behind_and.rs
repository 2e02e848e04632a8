use pardiff::differentiate;

#[differentiate]
fn counted(x: &[f64], k: &[usize]) -> f64 {
    let mut total = 0.0;
    for i in 0..k.len() {
        if k[i] > 0 && x[if k[i] < x.len() { k[i] } else { break }] > 0.0 {
            total += x[i];
        }
    }
    total
}

fn main() {}
