use pardiff::differentiate;

#[differentiate]
fn cut(x: &mut [f64]) {
    if let Some(v) = x.iter_mut().find(|v| **v > 1.0) {
        *v = 1.0;
    }
}

fn main() {}
