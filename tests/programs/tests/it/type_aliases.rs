//! Type aliases in blocks, and those that name a struct where a value of it is made or taken apart.

use pardiff::differentiate;
use pardiff_programs::check;

#[differentiate]
pub fn in_blocks(x: &[f64]) -> f64 {
    type Complex = (f64, f64);
    type Grid<const N: usize> = [[Real; N]; 2];
    type Real = f64;
    fn times(a: Complex, b: Complex) -> Complex {
        (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
    }
    let grid: Grid<2> = [[x[0], x[1]], [x[2], x[3]]];
    let shift = {
        type Real = i32;
        (2.6 as Real) as f64 * Real::pow(2, 3) as f64
    };
    let (re, im) = times((grid[0][0], grid[0][1]), (grid[1][0], grid[1][1] + shift));
    re * im + Real::max(re, im)
}

#[differentiate]
mod named {
    #[derive(Clone, Copy)]
    pub struct Vec2<T> {
        pub x: T,
        pub y: T,
    }

    type V = Vec2<f64>;

    pub fn area(x: f64, y: f64) -> f64 {
        let v = V { x: x * y, y: y.sin() };
        let V { x, y } = V { x: v.y, ..v };
        x * y + v.x
    }
}

#[test]
fn gradients() {
    let x = [0.3, -0.7, 1.1, 0.4];
    let (value, gradient) = in_blocks::gradient(&x);
    assert_eq!(value, in_blocks(&x));
    check(|v| in_blocks(&v[0]), &[&x], &[&gradient.x]);
    let (value, gradient) = named::area::gradient(0.6, 1.2);
    assert_eq!(value, named::area(0.6, 1.2));
    check(|v| named::area(v[0][0], v[0][1]), &[&[0.6, 1.2]], &[&[gradient.x, gradient.y]]);
}
