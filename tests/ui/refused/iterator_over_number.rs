use pardiff::differentiate;

#[differentiate]
fn once(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in std::iter::repeat_n(x[0], 3) {
        total += v;
    }
    total
}

fn main() {}
