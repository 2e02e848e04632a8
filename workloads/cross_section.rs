//! How often neutrons meet nuclei: looking up cross sections on a unionised energy grid, as XSBench does.

use pardiff::differentiate;

/// Sum over the looked up particles of their macroscopic cross sections, each channel with its weight.
///
/// Shapes: each of `nuclides` has `points` energies in `grid` and as many rows of 5 channels in `channels`. `union_energy` has
/// all these energies in ascending order, and for each a row in `union_index`: one entry a nuclide, the last point of the
/// nuclide that is not above that energy and has one behind it. The nuclides of material `a` are
/// `members[start[a]..start[a + 1]]`, in the densities `density`. Particles have an `energy` and a `material`.
#[differentiate(wrt(channels, density))]
pub fn cross_section(
    channels: &[[f64; 5]],
    density: &[f64],
    grid: &[f64],
    union_energy: &[f64],
    union_index: &[u32],
    start: &[u32],
    members: &[u32],
    energy: &[f64],
    material: &[u32],
    weight: &[f64; 5],
    nuclides: usize,
    points: usize,
) -> f64 {
    let mut total = 0.0;
    for i in 0..energy.len() {
        // the interval of the unionised grid, by bisection
        let mut low = 0;
        let mut high = union_energy.len() - 1;
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if union_energy[middle] > energy[i] {
                high = middle;
            } else {
                low = middle;
            }
        }
        let mut macroscopic = [0.0; 5];
        let m = material[i] as usize;
        for k in start[m] as usize..start[m + 1] as usize {
            let nuclide = members[k] as usize;
            let p = nuclide * points + union_index[low * nuclides + nuclide] as usize;
            let f = (grid[p + 1] - energy[i]) / (grid[p + 1] - grid[p]);
            for c in 0..5 {
                macroscopic[c] +=
                    density[k] * (channels[p + 1][c] - f * (channels[p + 1][c] - channels[p][c]));
            }
        }
        for c in 0..5 {
            total += weight[c] * macroscopic[c];
        }
    }
    total
}
