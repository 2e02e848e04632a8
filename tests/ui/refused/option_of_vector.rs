use pardiff::differentiate;

#[differentiate]
fn logarithms(x: &[f64]) -> f64 {
    let all: Option<Vec<f64>> = x.iter().map(|v| (*v > 0.0).then(|| v.ln())).collect();
    all.map_or(0.0, |all| all[0])
}

#[differentiate]
fn root(x: f64) -> Option<f64> {
    (x > 0.0).then(|| x.sqrt())
}

#[differentiate]
fn checked_root(x: f64) -> Result<f64, String> {
    if x < 0.0 { Err("negative".to_owned()) } else { Ok(x.sqrt()) }
}

fn main() {}
