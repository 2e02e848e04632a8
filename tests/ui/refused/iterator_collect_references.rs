use pardiff::differentiate;

#[differentiate]
fn positive(x: &[f64]) -> f64 {
    let kept: Vec<&f64> = x.iter().filter(|v| **v > 0.0).collect();
    *kept[0]
}

fn main() {}
