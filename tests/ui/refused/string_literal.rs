use pardiff::differentiate;

#[differentiate]
fn named(x: &[f64]) -> f64 {
    let unit = "metre";
    if unit.to_uppercase() == "METRE" { x[0] } else { x[0] * 1e-3 }
}

fn main() {}
