use pardiff::differentiate;

#[differentiate]
fn called(x: &[f64]) -> f64 {
    fn square(v: f64) -> f64 {
        v * v
    }
    let mut total = 0.0;
    for i in 0..x.len() {
        total += square(if x[i] > 0.0 { x[i] } else { return total });
    }
    total
}

fn main() {}
