use pardiff::differentiate;

#[differentiate]
fn at(x: &[[f64; 2]], i: usize) -> f64 {
    x.get(i).unwrap_or(&[0.0; 2])[1]
}

fn main() {}
