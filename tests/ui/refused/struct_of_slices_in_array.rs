use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    pub struct Layer<'a> {
        weights: &'a [f64],
        bias: f64,
    }

    pub fn sum(x: &[f64], y: &[f64]) -> f64 {
        let (a, b) = (Layer { weights: x, bias: 1.0 }, Layer { weights: y, bias: 2.0 });
        let mut total = 0.0;
        let layers = vec![a, b];
        for layer in &layers {
            total += layer.weights[0] * layer.bias;
        }
        total
    }

    pub fn ragged(rows: &[Vec<f64>], parents: &[Option<&[usize]>]) -> f64 {
        rows[0][0] * parents.len() as f64
    }
}

fn main() {}
