use pardiff::differentiate;

#[differentiate]
fn largest(x: &[f64]) -> f64 {
    let row = x.chunks_exact(3).max_by(|a, b| a[0].total_cmp(&b[0])).unwrap();
    row[1] * row[2]
}

fn main() {}
