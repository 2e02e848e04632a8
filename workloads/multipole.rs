//! How often neutrons meet nuclei: cross sections from resonance poles with Doppler broadening, as RSBench does.

use pardiff::differentiate;

/// Sum over the looked up particles of their macroscopic cross sections (total and absorption).
///
/// Shapes: nuclide `n` has `windows` windows of equal width in the square root of the energy (which is in 0..1); its window `w`
/// has the poles `first[n * windows + w]..first[n * windows + w + 1]` and a row of two smooth backgrounds in `background`.
/// A pole is `pole` (real and imaginary part), a row of residues in `residue` (total: real and imaginary; absorption: real and
/// imaginary). The nuclides of material `a` are `members[start[a]..start[a + 1]]`, in the densities `density`. `doppler` is the
/// width of the broadening.
#[differentiate(wrt(pole, residue, background, density, doppler))]
pub fn multipole(
    pole: &[[f64; 2]],
    residue: &[[f64; 4]],
    background: &[[f64; 2]],
    density: &[f64],
    doppler: f64,
    first: &[u32],
    start: &[u32],
    members: &[u32],
    energy: &[f64],
    material: &[u32],
    windows: usize,
) -> f64 {
    /// The Faddeeva function in the upper half plane: three terms of its asymptotic form far out, Abrarov's rational series
    /// near the origin.
    fn faddeeva(x: f64, y: f64) -> (f64, f64) {
        if x * x + y * y > 36.0 {
            // i z (a / (z^2 - b) + c / (z^2 - d))
            let (sr, si) = (x * x - y * y, 2.0 * x * y);
            let (p, q) = (sr - 0.275255128608411, sr - 2.724744871391589);
            let (np, nq) = (p * p + si * si, q * q + si * si);
            let re = 0.512424224754762 * p / np + 0.05176536169500287 * q / nq;
            let im = -(0.512424224754762 * si / np + 0.05176536169500287 * si / nq);
            (-(x * im + y * re), x * re - y * im)
        } else {
            const PREFACTOR: f64 = 81.24330;
            const SAMPLES: [f64; 10] = [
                2.758402e-01,
                2.245740e-01,
                1.594149e-01,
                9.866577e-02,
                5.324414e-02,
                2.505215e-02,
                1.027747e-02,
                3.676164e-03,
                1.146494e-03,
                3.117570e-04,
            ];
            let (cos, sin) = ((12.0 * x).cos(), (12.0 * x).sin());
            let e = (-12.0 * y).exp();
            let norm = x * x + y * y;
            // i (1 - exp(12 i z)) / (12 z), and i z times the series
            let (ar, ai) = (1.0 - e * cos, -e * sin);
            let mut re = (ar * y - ai * x) / (12.0 * norm);
            let mut im = (ar * x + ai * y) / (12.0 * norm);
            let (zr, zi) = (144.0 * (x * x - y * y), 288.0 * x * y);
            for n in 0..10 {
                let k = (n + 1) as f64;
                let sign = if n % 2 == 0 { -1.0 } else { 1.0 };
                let (br, bi) = (sign * (e * cos) - 1.0, sign * e * sin);
                let (dr, di) = (k * k * 9.869604401089358 - zr, -zi);
                let d = dr * dr + di * di;
                let (qr, qi) = ((br * dr + bi * di) / d, (bi * dr - br * di) / d);
                re -= PREFACTOR * SAMPLES[n] * (x * qi + y * qr);
                im += PREFACTOR * SAMPLES[n] * (x * qr - y * qi);
            }
            (re, im)
        }
    }

    let mut total = 0.0;
    for i in 0..energy.len() {
        let root = energy[i].sqrt();
        let window = (root * windows as f64) as usize;
        let m = material[i] as usize;
        let mut sigma = 0.0;
        let mut absorption = 0.0;
        for k in start[m] as usize..start[m + 1] as usize {
            let w = members[k] as usize * windows + window;
            let mut micro = background[w];
            for p in first[w] as usize..first[w + 1] as usize {
                let x = (root - pole[p][0]) * doppler;
                let y = -pole[p][1] * doppler;
                let (re, im) = faddeeva(x, y);
                micro[0] += (residue[p][0] * re - residue[p][1] * im) * doppler / energy[i];
                micro[1] += (residue[p][2] * re - residue[p][3] * im) * doppler / energy[i];
            }
            sigma += density[k] * micro[0];
            absorption += density[k] * micro[1];
        }
        total += sigma + 0.1 * absorption * absorption;
    }
    total
}
