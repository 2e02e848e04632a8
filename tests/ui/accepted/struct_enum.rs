use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy, PartialEq)]
    pub enum Norm {
        One,
        Two,
    }

    pub fn norm(x: &[f64], norm: Norm) -> f64 {
        match norm {
            Norm::One => x.iter().map(|v| v.abs()).sum(),
            Norm::Two => x.iter().map(|v| v * v).sum::<f64>().sqrt(),
        }
    }
}

pub fn main() {
    let (value, g) = kernels::norm::gradient(&[3.0, 4.0], kernels::Norm::Two);
    assert!(value == 5.0 && (g.x[0] - 0.6).abs() < 1e-15 && (g.x[1] - 0.8).abs() < 1e-15);
    let (value, g) = kernels::norm::gradient(&[3.0, -4.0], kernels::Norm::One);
    assert_eq!((value, g.x), (7.0, vec![1.0, -1.0]));
}
