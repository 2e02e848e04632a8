use pardiff::differentiate;

#[differentiate]
fn all_but_one(x: &[f64]) -> f64 {
    let mut positive = x.iter().filter(|v| **v > 0.0);
    positive.next();
    positive.map(|v| v * v).sum()
}

#[differentiate]
fn header(x: &[f64]) -> f64 {
    let mut items = x.iter();
    let head: f64 = items.by_ref().take(2).sum();
    head * items.sum::<f64>()
}

#[differentiate]
fn behind_the_first(x: &[f64]) -> f64 {
    let mut items = x.iter();
    let first = items.position(|v| *v > 0.0).unwrap_or(0);
    x[first] * items.sum::<f64>()
}

fn main() {}
