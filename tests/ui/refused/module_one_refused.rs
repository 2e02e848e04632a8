// One function is refused; the other has its gradient all the same.
use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub fn refused(x: &[f64]) -> f64 {
        x.iter().map(|x| format!("{x}").len() as f64).sum()
    }

    pub fn fine(x: &[f64]) -> f64 {
        x[0] * x[0]
    }
}

fn main() {
    let _ = kernels::refused::gradient(&[1.0]);
    let _ = kernels::fine::gradient(&[1.0]).1.x;
}
