use pardiff::differentiate;

#[differentiate]
fn deeper(data: &[(Vec<Vec<f64>>, f64)]) -> f64 {
    data[0].0[0][0] * data[0].1
}

#[differentiate]
fn grown(data: &mut [(Vec<f64>, f64)]) {
    data[0].0.push(1.0);
}

#[differentiate]
fn made(x: &[f64]) -> f64 {
    let parts = vec![(x.to_vec(), x[0]), (x.to_vec(), x[1])];
    parts.iter().map(|(row, y)| row[0] * y).sum()
}

#[differentiate]
fn assigned(data: &mut [(Vec<f64>, f64)]) {
    data[0].0 = vec![1.0; 7];
}

#[differentiate]
fn replaced(data: &mut [(Vec<f64>, f64)], x: &[f64]) {
    data[1] = (x.to_vec(), 1.0);
}

#[differentiate]
fn through(data: &mut [(Vec<f64>, f64)]) {
    for (row, y) in data.iter_mut() {
        *row = vec![*y; 2];
    }
}

fn main() {}
