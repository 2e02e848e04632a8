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

    #[derive(Clone, Copy)]
    pub enum Roots {
        No([f64; 0]),
        One([f64; 1]),
        Two([f64; 2]),
    }

    impl AsRef<[f64]> for Roots {
        fn as_ref(&self) -> &[f64] {
            match self {
                Roots::No(of) => of,
                Roots::One(of) => of,
                Roots::Two(of) => of,
            }
        }
    }

    pub fn of_roots(x: f64, number: usize) -> f64 {
        let roots = match number {
            0 => Roots::No([]),
            1 => Roots::One([x * x]),
            _ => Roots::Two([x, x.exp()]),
        };
        let product: f64 = roots.as_ref().iter().product();
        product + roots.as_ref().len() as f64 * x
    }

    pub fn of_lengths(x: f64, which: usize) -> f64 {
        let (a, b) = ([x, 2.0 * x, x * x], [x.sin()]);
        let chosen: &[f64] = match which {
            0 => &a,
            1 => &b,
            _ => &a[1..],
        };
        let mut sum = 0.0;
        for (k, value) in chosen.iter().enumerate() {
            sum += value * (k as f64 + 1.0);
        }
        let other: &[f64] = if which > 0 { &b } else { &a };
        sum * chosen.len() as f64 + other[0] * other[other.len() - 1]
    }

    const LONG: usize = 3;
    const SHORT: usize = LONG - 1;

    pub fn of_named_lengths(a: &[f64; LONG], b: &[f64; SHORT], is_long: bool) -> f64 {
        let chosen: &[f64] = if is_long { a } else { b };
        chosen.iter().map(|value| value * value).sum::<f64>() * chosen.len() as f64
    }
}

/// Arrays of several lengths are one slice.
#[test]
fn the_length_is_that_of_the_array_that_was_chosen() {
    for which in 0..3 {
        assert_eq!(chosen::of_roots::value(1.3, which), chosen::of_roots(1.3, which));
        assert_eq!(chosen::of_lengths::value(1.3, which), chosen::of_lengths(1.3, which));
        chosen::of_roots::check(1.3, which).unwrap();
        let (a, b) = ([0.3, 0.7, -0.2], [1.1, 0.4]);
        assert_eq!(
            chosen::of_named_lengths::value(&a, &b, which > 0),
            chosen::of_named_lengths(&a, &b, which > 0)
        );
        chosen::of_named_lengths::check(&a, &b, which > 0).unwrap();
        chosen::of_lengths::check(1.3, which).unwrap();
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
