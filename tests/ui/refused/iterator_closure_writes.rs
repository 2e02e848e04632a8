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
        .skip(1)
        .sum();
    let mut kept = 0.0;
    let rest: f64 = x
        .iter()
        .filter(|v| {
            kept += 1.0;
            **v > kept
        })
        .sum();
    total / count + rest
}

fn main() {}
