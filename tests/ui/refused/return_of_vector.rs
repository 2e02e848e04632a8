use pardiff::differentiate;

#[differentiate]
fn either(x: &[f64]) -> f64 {
    fn positive(x: &[f64]) -> Vec<f64> {
        if x[0] > 0.0 {
            return x.to_vec();
        }
        vec![0.0; 3]
    }
    let v = positive(x);
    v[0] * v[1]
}

fn main() {}
