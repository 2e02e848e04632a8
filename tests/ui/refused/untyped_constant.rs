use pardiff::differentiate;

const SCALE: f64 = 3.0;
const SHIFT: f64 = 4.0;

#[differentiate]
fn scaled(x: &[f64]) -> f64 {
    let factor = SCALE + SHIFT;
    let mut total = 0.0;
    if factor > SCALE {
        total += x[0];
    }
    total
}

fn main() {}
