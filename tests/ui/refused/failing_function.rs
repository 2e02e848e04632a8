use pardiff::differentiate;

#[differentiate]
fn borrowed<'a>(x: f64, name: &'a str) -> Result<f64, &'a str> {
    if x < 0.0 { Err(name) } else { Ok(x.sqrt()) }
}

#[differentiate]
fn elided(x: &[f64]) -> Result<f64, &[f64]> {
    if x[0] < 0.0 { Err(x) } else { Ok(x[0].sqrt()) }
}

#[differentiate]
fn sized<const N: usize>(x: [f64; N]) -> Result<f64, [u8; N]> {
    if x[0] < 0.0 { Err([0; N]) } else { Ok(x[0].sqrt()) }
}

#[differentiate]
fn computed(x: f64) -> Result<f64, String> {
    if x < 0.0 { Err(described(x)) } else { Ok(x.sqrt()) }
}

fn described(x: f64) -> String {
    format!("{x} is negative")
}

#[differentiate]
#[target_feature(enable = "avx2")]
fn fast(x: f64) -> Option<f64> {
    if x < 0.0 { None } else { Some(x.sqrt()) }
}

#[differentiate]
fn rows(x: &[f64]) -> Result<Vec<Vec<f64>>, String> {
    Ok(x.iter().map(|x| vec![x * x]).collect())
}

#[differentiate]
fn counted(x: &[f64]) -> Option<usize> {
    if x[0] > 0.0 { Some(1) } else { None }
}

fn main() {}
