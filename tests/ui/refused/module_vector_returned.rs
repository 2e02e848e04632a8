use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub fn doubled(x: &[f64]) -> Vec<Vec<f64>> {
        x.iter().map(|x| vec![2.0 * x]).collect()
    }
}

fn main() {}
