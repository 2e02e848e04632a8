//! Long rows that begin anywhere in memory, and neighbours by signed distances: the same bits wherever the arrays lie, the
//! gradient, and a panic where a neighbour does not exist.

use pardiff::differentiate;
use pardiff_programs::{check, random};

/// The energy of a field that was carried along by `dx` and `dy` and attenuated.
#[differentiate(wrt(u, k))]
pub fn carried(u: &[f64], k: &[f64], dx: isize, dy: isize, nx: usize, ny: usize) -> f64 {
    let mut moved = vec![0.0; nx * ny];
    for y in 1..ny - 1 {
        for x in 1..nx - 1 {
            let from = (y as isize - dy) * nx as isize + x as isize - dx;
            moved[y * nx + x] = k[y * nx + x] * u[from as usize] * (u[from as usize] - u[y * nx + x]);
        }
    }
    let mut energy = 0.0;
    for y in 1..ny - 1 {
        for x in 1..nx - 1 {
            energy += moved[y * nx + x] * moved[y * nx + x] - moved[y * nx + x - 1];
        }
    }
    energy
}

/// The same in single precision, where a cache line holds more elements than a vector.
#[differentiate]
pub fn mixed(u: &[f32], w: &[f32], n: usize) -> f32 {
    let mut next = vec![0.0; u.len()];
    for i in 1..n - 1 {
        next[i] = w[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i];
    }
    let mut total = 0.0;
    for i in 0..n {
        total += next[i] * next[i];
    }
    total
}

const NX: usize = 151;
const NY: usize = 5;

fn gradient(u: &[f64], k: &[f64], dx: isize, dy: isize) -> (f64, Vec<f64>, Vec<f64>) {
    let (value, gradient) = carried::gradient(u, k, dx, dy, NX, NY);
    (value, gradient.u.to_vec(), gradient.k.to_vec())
}

#[test]
fn the_gradient_is_right_for_neighbours_on_all_sides() {
    let (u, k) = (random(1, NX * NY), random(2, NX * NY));
    for (dx, dy) in [(0, 0), (1, 0), (-1, 1), (1, -1)] {
        let (value, d_u, d_k) = gradient(&u, &k, dx, dy);
        assert!((value - carried(&u, &k, dx, dy, NX, NY)).abs() <= 1e-12 * (1.0 + value.abs()));
        let of = |inputs: &[Vec<f64>]| carried(&inputs[0], &inputs[1], dx, dy, NX, NY);
        check(of, &[&u, &k], &[&d_u, &d_k]);
    }
}

#[test]
fn no_bit_depends_on_where_arrays_lie() {
    let (u, k) = (random(3, NX * NY), random(4, NX * NY));
    let expected = gradient(&u, &k, 1, -1);
    let (single_u, single_w): (Vec<f32>, Vec<f32>) =
        (u.iter().map(|&u| u as f32).collect(), k.iter().map(|&k| k as f32).collect());
    let (single, of_single) = mixed::gradient(&single_u, &single_w, NX * NY);
    for offset in 0..8 {
        let place = |array: &[f64]| [&vec![f64::NAN; offset], array].concat();
        let (u, k) = (place(&u), place(&k));
        let (mut d_u, mut d_k) = (vec![0.0; u.len()], vec![0.0; k.len()]);
        let (d_u, d_k) = (&mut d_u[offset..], &mut d_k[offset..]);
        let value = carried::grad_into(&u[offset..], d_u, &k[offset..], d_k, 1, -1, NX, NY);
        assert_eq!((value, d_u.to_vec(), d_k.to_vec()), expected, "{offset}");

        let place = |array: &[f32]| [&vec![f32::NAN; offset], array].concat();
        let (u, w) = (place(&single_u), place(&single_w));
        let (mut d_u, mut d_w) = (vec![0.0; u.len()], vec![0.0; w.len()]);
        let (d_u, d_w) = (&mut d_u[offset..], &mut d_w[offset..]);
        let value = mixed::grad_into(&u[offset..], d_u, &w[offset..], d_w, NX * NY);
        assert_eq!(value.to_bits(), single.to_bits(), "{offset}");
        assert_eq!((&*d_u, &*d_w), (&of_single.u[..], &of_single.w[..]), "{offset}");
    }
}

#[test]
fn a_neighbour_that_does_not_exist_panics() {
    let (u, k) = (random(5, NX * NY), random(6, NX * NY));
    // one element in front of the array, in the first iteration of a row; a row behind it; and far away
    for (dx, dy) in [(2, 1), (NX as isize + 2, 0), (0, -2), (isize::MIN / 2, 0)] {
        let of_value = std::panic::catch_unwind(|| carried(&u, &k, dx, dy, NX, NY));
        let of_gradient = std::panic::catch_unwind(|| gradient(&u, &k, dx, dy));
        assert!(of_value.is_err() && of_gradient.is_err(), "{dx} {dy}");
    }
}
