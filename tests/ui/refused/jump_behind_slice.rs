use pardiff::differentiate;

#[differentiate]
fn called(x: &[f64]) -> f64 {
    fn scaled(x: &[f64], a: f64) -> f64 {
        x[0] * a
    }
    let mut total = 0.0;
    for i in 0..x.len() {
        total += scaled(&x[i..], if x[i] > 0.0 { x[i] } else { return total });
    }
    total
}

fn main() {}
