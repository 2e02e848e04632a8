use pardiff::differentiate;

#[differentiate]
fn grown(data: &mut [(Vec<f64>, f64)]) {
    data[0].0.push(1.0);
}

#[differentiate]
fn made(x: &[f64]) -> f64 {
    let parts = vec![(x.to_vec(), x[0]), (x.to_vec(), x[1])];
    parts.iter().map(|(row, y)| row[0] * y).sum()
}

fn main() {}
