use pardiff::differentiate;

#[differentiate]
fn all(x: &[[f64; 3]]) -> f64 {
    x.iter().flat_map(|row| row.iter()).sum()
}

fn main() {}
