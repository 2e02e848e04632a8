use pardiff::differentiate;

#[differentiate]
fn summed(x: &[f64]) -> f64 {
    let mut items = x.iter();
    let mut total = 0.0;
    while let Some(v) = items.by_ref().next() {
        total += v;
    }
    total
}

fn main() {}
