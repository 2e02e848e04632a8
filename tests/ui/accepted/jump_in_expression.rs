use pardiff::differentiate;

#[differentiate]
mod kernels {
    fn root(v: f64) -> Option<f64> {
        if v > 0.0 { Some(v.sqrt()) } else { None }
    }

    fn ratio(a: f64, b: f64) -> Option<f64> {
        Some(root(a)? / root(b)?)
    }

    pub fn added(x: &[f64], k: &[usize]) -> f64 {
        let mut total = 0.0;
        for i in 0..k.len() {
            total += x[if k[i] < x.len() { k[i] } else { break }] * ratio(x[i], 4.0).unwrap_or(0.5);
        }
        total
    }
}

pub fn main() {
    let (value, g) = kernels::added::gradient(&[1.0, -2.0, 3.0], &[2, 0, 5]);
    assert!((value - 2.0).abs() < 1e-15 && (g.x[0] - 1.25).abs() < 1e-15 && (g.x[2] - 0.5).abs() < 1e-15);
}
