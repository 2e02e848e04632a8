use pardiff::differentiate;

#[differentiate(batch(32))]
fn too_wide(x: &[f64]) -> f64 {
    x.iter().sum()
}

#[differentiate(batch)]
fn without_a_width(x: &[f64]) -> f64 {
    x.iter().sum()
}

fn main() {}
