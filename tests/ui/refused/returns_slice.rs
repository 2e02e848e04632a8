use pardiff::differentiate;

#[differentiate]
fn tail(x: &[f64]) -> &[f64] {
    &x[1..]
}

#[differentiate]
fn rows(x: &[f64]) -> (Vec<Vec<f64>>, f64) {
    (vec![x.to_vec()], x[0])
}

#[differentiate(with(f = square))]
fn applied(x: f64, g: fn(f64) -> f64) -> f64 {
    g(x)
}

fn main() {}
