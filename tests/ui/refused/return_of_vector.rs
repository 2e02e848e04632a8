// How long the rows are would be known only at run time.
use pardiff::differentiate;

#[differentiate]
fn either(x: &[f64]) -> f64 {
    fn positive(x: &[f64]) -> Vec<Vec<f64>> {
        if x[0] > 0.0 {
            return vec![x.to_vec(); 2];
        }
        vec![vec![0.0; 3]; 2]
    }
    let v = positive(x);
    v[0][0] * v[1][1]
}

fn main() {}
