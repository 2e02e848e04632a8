use pardiff::differentiate;

#[differentiate]
fn squares(x: &[f64]) -> f64 {
    let by = 2.0;
    let scaled = x.iter().map(move |v| v * by);
    scaled.sum()
}

fn main() {}
