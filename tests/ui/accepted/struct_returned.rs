//! The seed of a returned struct is a struct; its integers do not matter.
use pardiff::differentiate;

#[differentiate]
mod model {
    pub struct Polar {
        pub r: f64,
        pub angle: f64,
        pub quadrant: i32,
    }

    pub fn polar(x: f64, y: f64) -> Polar {
        let quadrant = if x > 0.0 { 1 } else { 2 };
        Polar { quadrant, r: (x * x + y * y).sqrt(), angle: y.atan2(x) }
    }

    pub fn both(x: f64) -> (Polar, usize, f64) {
        (polar(x, 0.0), 3, x * x)
    }
}

pub fn main() {
    let (mut d_x, mut d_y) = (0.0, 0.0);
    let seed = model::Polar { r: 1.0, angle: 0.0, quadrant: 0 };
    let value = model::polar::vjp(3.0, &mut d_x, 4.0, &mut d_y, seed);
    assert_eq!((value.r, value.quadrant), (5.0, 1));
    assert!((d_x - 0.6).abs() < 1e-15 && (d_y - 0.8).abs() < 1e-15);
    let seed = (model::Polar { r: 2.0, angle: 0.0, quadrant: 0 }, 1.0);
    let value = model::both::vjp_into(3.0, &mut d_x, seed);
    assert_eq!((value.1, value.2, d_x), (3, 9.0, 8.0));
}
