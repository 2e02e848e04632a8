/// `steps` explicit steps of a nonlinear heat equation on a rod.
#[differentiate(wrt(conductivity))]
pub fn heat(u: &mut [f64], conductivity: &[f64], n: usize, steps: usize) {
    let mut next = vec![0.0; n];
    for _ in 0..steps {
        for i in 1..n - 1 {
            let flux = u[i - 1] - 2.0 * u[i] + u[i + 1];
            next[i] = u[i] + conductivity[i] * flux * u[i];
        }
        for i in 1..n - 1 {
            u[i] = next[i];
        }
    }
}
