use pardiff::differentiate;

#[differentiate]
fn joined(x: &[[f64; 2]]) -> f64 {
    let flat = x.concat();
    flat[0] * flat[1]
}

fn main() {}
