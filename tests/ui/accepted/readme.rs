use pardiff::differentiate;

/// Sum of the squared residuals of a linear model.
#[differentiate(wrt(w))]
pub fn loss(w: &[f64], x: &[f64], y: &[f64], n: usize, d: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut r = -y[i];
        for j in 0..d {
            r += x[i * d + j] * w[j];
        }
        total += r * r;
    }
    total
}

pub fn main() {
    let (w, x, y) = ([1.0, 2.0], [1.0, 0.0, 1.0, 1.0, 1.0, 2.0], [1.0, 2.0, 4.0]);
    let mut d_w = [0.0; 2];
    let value = loss::grad(&w, &mut d_w, &x, &y, 3, 2);
    assert_eq!((value, d_w), (2.0, [4.0, 6.0])); // d_w += dloss/dw
}
