use pardiff::differentiate;

#[differentiate]
fn counted(x: &[f64], k: &[usize]) -> f64 {
    let mut i = 0;
    while x[if k[i] < x.len() { k[i] } else { return 0.0 }] > 0.0 {
        i += 1;
    }
    x[i]
}

fn main() {}
