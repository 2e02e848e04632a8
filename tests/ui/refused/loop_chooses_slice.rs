use pardiff::differentiate;

#[differentiate]
fn chosen(x: &[f64]) -> f64 {
    let mut k = 0;
    let part = loop {
        if x[k] > 0.0 {
            break &x[k..];
        }
        k += 1;
    };
    part[0]
}

fn main() {}
