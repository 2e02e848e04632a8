use pardiff::differentiate;

#[differentiate]
fn detached(x: &[f64]) -> f64 {
    rayon::spawn(|| println!("later"));
    x[0]
}

fn main() {}
