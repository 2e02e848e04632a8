use pardiff::differentiate;

#[differentiate]
fn squared(x: &[f64], squares: Option<&mut [f64]>) -> f64 {
    if let Some(squares) = squares {
        squares[0] = x[0] * x[0];
    }
    x[0]
}

#[differentiate(split)]
fn written(x: f64, y: &mut Option<f64>) {
    *y = Some(x * x);
}

fn main() {}
