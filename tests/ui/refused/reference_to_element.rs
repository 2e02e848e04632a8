use pardiff::differentiate;

#[differentiate]
fn largest(x: &[f64]) -> f64 {
    let mut best = &x[0];
    for i in 1..x.len() {
        if x[i] > *best {
            best = &x[i];
        }
    }
    *best
}

fn main() {}
