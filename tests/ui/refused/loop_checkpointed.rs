use pardiff::differentiate;

#[differentiate]
fn independent(x: &[f64], y: &mut [f64]) {
    #[checkpoint]
    for i in 0..x.len() {
        y[i] = x[i].exp();
    }
}

fn main() {}
