//! Elements that a loop reads and writes at indices that are data, the same ones again.

use pardiff::differentiate;

/// Each round reads all of `z`, which is then worth storing as a whole, and replaces chosen elements, some of them twice.
#[differentiate]
pub fn rounds(z: &mut [f64; 4], index: &[usize], rounds: usize) -> f64 {
    let mut total = 0.0;
    for _ in 0..rounds {
        for i in 0..4 {
            total += (z[i] * z[i]).sin();
        }
        for k in 0..index.len() {
            let at = index[k];
            z[at] = (1.5 * z[at] + 0.25).sin();
        }
    }
    total
}

#[test]
fn an_element_that_is_replaced_twice_is_stored_twice() {
    let (start, along) = ([0.5, -0.25, 0.75, 0.125], [0.3, -0.7, 0.2, 0.9]);
    for index in [&[2, 0, 3, 3][..], &[1, 1, 1], &[0, 1, 2, 3], &[]] {
        let run = |h: f64| {
            let mut z: [f64; 4] = std::array::from_fn(|i| start[i] + h * along[i]);
            let total = rounds(&mut z, index, 3);
            total + z.iter().zip([1.0, -2.0, 0.5, 3.0]).map(|(z, w)| z * w).sum::<f64>()
        };
        let central = |h: f64| (run(h) - run(-h)) / (2.0 * h);
        let expected = (4.0 * central(1e-3) - central(2e-3)) / 3.0;
        let (mut z, mut d_z) = (start, [1.0, -2.0, 0.5, 3.0]);
        rounds::grad(&mut z, &mut d_z, index, 3);
        let own: f64 = d_z.iter().zip(along).map(|(d, v)| d * v).sum();
        assert!((own - expected).abs() < 1e-8, "{index:?}: {own} instead of {expected}");
    }
}
