use pardiff::differentiate;

#[differentiate]
fn median(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    y.sort_by(|a, b| a.total_cmp(b));
    y[y.len() / 2]
}

fn main() {}
