use pardiff::differentiate;

#[differentiate]
fn energy(x: &[f64]) -> f64 {
    fn total(items: impl Iterator<Item = f64>) -> f64 {
        items.sum()
    }
    total(x.iter().map(|v| v * v))
}

fn main() {}
