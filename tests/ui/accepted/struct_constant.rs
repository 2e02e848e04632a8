//! Structs as constants.

use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    pub struct Point {
        pub x: f64,
        pub y: f64,
    }

    impl Point {
        pub const ONE: Self = Point { x: 1.0, ..Point::new(0.0, 1.0) };

        const fn new(x: f64, y: f64) -> Point {
            Point { x, y }
        }
    }

    const CORNERS: [Point; 2] = [Point::ONE, Point { x: 2.0, y: 3.0 }];
    const SCALE: (f64, usize) = (2.0, 1);

    pub fn f(p: Point) -> f64 {
        let corner = CORNERS[SCALE.1];
        SCALE.0 * p.x * corner.x + p.y * (corner.y - Point::ONE.y)
    }
}

pub fn main() {
    let (value, gradient) = kernels::f::gradient(kernels::Point { x: 1.0, y: 2.0 });
    assert_eq!((value, gradient.p.x, gradient.p.y), (8.0, 4.0, 2.0));
}
