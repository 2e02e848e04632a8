use pardiff::differentiate;

#[differentiate]
fn square(x: &[f64]) -> f64 {
    let y = x[0];
    #[cfg(debug_assertions)]
    let y = y * 2.0;
    y * y
}

fn main() {}
