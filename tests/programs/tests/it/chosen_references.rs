//! References that a branch chooses.

use pardiff::differentiate;

#[differentiate(check)]
mod chosen {
    pub struct Point {
        pub x: f64,
        pub y: f64,
    }

    pub fn area(at: &[Point]) -> f64 {
        let mut sum = 0.0;
        for i in 0..at.len() {
            let p = if i > 0 { &at[i - 1] } else { &at[at.len() - 1] };
            let q = &at[i];
            sum += (p.x - q.x) * (p.y + q.y);
        }
        sum / 2.0
    }

    pub fn convolution(a: &[f64], b: &[f64]) -> Vec<f64> {
        let (long, short) = match a.len() < b.len() {
            true => (b, a),
            false => (a, b),
        };
        let mut all = Vec::new();
        for n in short.len() - 1..long.len() {
            let mut sum = 0.0;
            for m in 0..short.len() {
                sum += long[n - m] * short[m];
            }
            all.push(sum);
        }
        all
    }

    pub fn of_rows(x: &[[f64; 2]], y: &[[f64; 2]], scale: f64, far: f64) -> f64 {
        let rows = if scale > far { &x[1..] } else { y };
        let factor = if scale > 0.0 { &scale } else { &far };
        let mut sum = 0.0;
        for row in rows {
            sum += row[0] * row[1] * factor;
        }
        sum * rows.len() as f64
    }
}

#[test]
fn the_branch_that_was_taken_is_differentiated() {
    use chosen::Point;
    let at = [Point { x: 0.1, y: 0.2 }, Point { x: 1.3, y: 0.1 }, Point { x: 0.9, y: 1.4 }];
    chosen::area::check(&at).unwrap();
    for (a, b) in [(&[0.3, 0.7, -0.2][..], &[1.1, 0.4][..]), (&[0.3][..], &[1.1, 0.4][..])] {
        assert_eq!(chosen::convolution::value(a, b), chosen::convolution(a, b));
        chosen::convolution::check(a, b).unwrap();
    }
    let (x, y) = ([[0.3, 0.8], [0.1, -0.4], [0.9, 0.2]], [[0.7, 0.6]]);
    for (scale, far) in [(1.5, 0.5), (0.5, 1.5), (-0.5, -1.5)] {
        assert_eq!(chosen::of_rows::value(&x, &y, scale, far), chosen::of_rows(&x, &y, scale, far));
        chosen::of_rows::check(&x, &y, scale, far).unwrap();
    }
}
