use pardiff::differentiate;

#[differentiate]
fn square(x: &[f64]) -> f64 {
    let mut y = x[0];
    #[cfg(debug_assertions)]
    {
        y *= 2.0;
    }
    y * y
}

fn main() {}
