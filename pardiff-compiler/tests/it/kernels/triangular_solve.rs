/// Solves `L x = b` in place; row `i` of the lower triangle `l` begins at `i * (i + 1) / 2`.
#[differentiate]
pub fn triangular_solve(l: &[f64], x: &mut [f64], n: usize) {
    let mut p = 0;
    for i in 0..n {
        let mut rest = x[i];
        for j in 0..i {
            rest -= l[p] * x[j];
            p += 1;
        }
        x[i] = rest / l[p];
        p += 1;
    }
}
