use pardiff::differentiate;

#[differentiate]
fn wrapped(x: f64, k: i32) -> f64 {
    let some: Option<f64> = x.into();
    some.unwrap_or(0.0) * f64::from(k)
}

fn main() {}
