use pardiff::differentiate;

#[differentiate]
fn energy(x: &[f64]) -> f64 {
    fn total(items: &mut impl Iterator<Item = f64>) -> f64 {
        items.sum()
    }
    total(&mut x.iter().map(|v| v * v))
}

fn main() {}
