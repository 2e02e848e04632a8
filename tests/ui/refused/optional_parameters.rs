use pardiff::differentiate;

#[differentiate]
fn weighted(x: &[f64], weights: Option<&[f64]>) -> f64 {
    weights.map_or(x[0], |w| w[0] * x[0])
}

#[differentiate(split)]
fn written(x: f64, y: &mut Option<f64>) {
    *y = Some(x * x);
}

fn main() {}
