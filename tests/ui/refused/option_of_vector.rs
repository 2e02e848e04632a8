use pardiff::differentiate;

#[differentiate]
fn logarithms(x: &[f64]) -> f64 {
    let all: Option<Vec<f64>> = x.iter().map(|v| (*v > 0.0).then(|| v.ln())).collect();
    all.map_or(0.0, |all| all[0])
}

fn main() {}
