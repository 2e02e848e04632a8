use pardiff::differentiate;

#[differentiate]
fn counted(x: &[f64]) -> f64 {
    let mut count = 0.0;
    let total: f64 = x
        .iter()
        .map(|v| {
            count += 1.0;
            v * v
        })
        .sum();
    total / count
}

fn main() {}
