use pardiff::differentiate;

#[differentiate]
fn bounded<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    f(x) * 2.0
}

#[differentiate]
fn behind<F>(f: &F, x: f64) -> f64
where
    F: Fn(f64) -> f64,
{
    f(x) * 2.0
}

fn main() {}
