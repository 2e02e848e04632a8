//! The docking energy of miniBUDE (University of Bristol, Apache-2.0): every pose of a ligand against a protein.

use pardiff::differentiate;

/// Sum of the energies of `n` poses.
///
/// Shapes: `poses` has 6 rows of `n` (three angles, three translations); `radius`, `hydrophobicity` and `charge` have
/// one entry a type of atom; `ligand` and `protein` are the positions of the atoms, `ligand_type` and `protein_type`
/// their types. What a pair of types decides is tabulated, one row a ligand atom and one entry a protein atom:
/// `p_sign` and `l_sign` for the hydrophobicities, `reach` of the desolvation (not positive: none), `electrostatic`
/// reach of the charges, and whether the pair `attracts` whatever the charges and `dissolves` at all.
#[differentiate(wrt(poses, radius, hydrophobicity, charge))]
#[allow(clippy::too_many_arguments, clippy::needless_range_loop)]
pub fn minibude(
    poses: &[f64],
    radius: &[f64],
    hydrophobicity: &[f64],
    charge: &[f64],
    ligand: &[[f64; 3]],
    ligand_type: &[u32],
    protein: &[[f64; 3]],
    protein_type: &[u32],
    p_sign: &[f64],
    l_sign: &[f64],
    reach: &[f64],
    electrostatic: &[f64],
    attracts: &[bool],
    dissolves: &[bool],
    n: usize,
) -> f64 {
    const HARDNESS: f64 = 38.0;
    const CHARGE: f64 = 45.0;
    let mut total = 0.0;
    for m in 0..n {
        let (sx, cx) = poses[m].sin_cos();
        let (sy, cy) = poses[n + m].sin_cos();
        let (sz, cz) = poses[2 * n + m].sin_cos();
        let r = [
            cy * cz,
            sx * sy * cz - cx * sz,
            cx * sy * cz + sx * sz,
            cy * sz,
            sx * sy * sz + cx * cz,
            cx * sy * sz - sx * cz,
            -sy,
            sx * cy,
            cx * cy,
        ];
        let mut energy = 0.0;
        for i in 0..ligand.len() {
            let a = ligand_type[i] as usize;
            let mut x = [0.0; 3];
            for k in 0..3 {
                x[k] = poses[(3 + k) * n + m]
                    + r[3 * k] * ligand[i][0]
                    + r[3 * k + 1] * ligand[i][1]
                    + r[3 * k + 2] * ligand[i][2];
            }
            for j in 0..protein.len() {
                let b = protein_type[j] as usize;
                let pair = i * protein.len() + j;
                let e = [x[0] - protein[j][0], x[1] - protein[j][1], x[2] - protein[j][2]];
                let distance = (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]).sqrt();
                let contact = radius[a] + radius[b];
                let gap = distance - contact;
                let inside = gap < 0.0;
                let mut t = 0.0;
                if inside {
                    t += (1.0 - distance / contact) * 2.0 * HARDNESS;
                }
                if gap < electrostatic[pair] {
                    let f = if inside { 1.0 } else { 1.0 - gap / electrostatic[pair] };
                    let c = charge[a] * charge[b] * f;
                    t += CHARGE * if attracts[pair] { -c.abs() } else { c };
                }
                if dissolves[pair] && reach[pair] > 0.0 && gap < reach[pair] {
                    let f = if inside { 1.0 } else { 1.0 - gap / reach[pair] };
                    t += (hydrophobicity[b] * p_sign[pair] + hydrophobicity[a] * l_sign[pair]) * f;
                }
                energy += 0.5 * t;
            }
        }
        total += energy;
    }
    total
}
