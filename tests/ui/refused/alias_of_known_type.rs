use num_complex::Complex;
use pardiff::differentiate;

type C64 = Complex<f64>;

#[differentiate]
fn real_part(x: f64) -> f64 {
    let z = C64::new(x, 1.0);
    (z * z).re
}

#[differentiate]
fn imaginary_part(z: C64) -> f64 {
    z.im
}

fn main() {}
