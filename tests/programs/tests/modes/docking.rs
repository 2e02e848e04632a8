//! The docking energy of miniBUDE as a user writes it with structs and helpers: poses in a loop, by parallel iterators,
//! by tasks of a scope over parts of the poses, and by a tree of `join`s. All have the gradient of the one flat loop of
//! the workload, and all but the tree compute it in the sweep that computes the value.

#[path = "../../../../workloads/minibude.rs"]
mod kernel;

use kernel::minibude;
use pardiff::differentiate;
use pardiff_programs::random;

/// What the versions are made of.
#[differentiate(export = "only")]
pub mod force_field {
    const HARDNESS: f64 = 38.0;
    const CHARGE: f64 = 45.0;

    /// One entry a type of atom.
    #[derive(Clone)]
    pub struct Field {
        pub radius: Vec<f64>,
        pub hydrophobicity: Vec<f64>,
        pub charge: Vec<f64>,
    }

    /// Atoms, and what is tabulated of their pairs.
    pub struct Molecules {
        pub ligand: Vec<[f64; 3]>,
        pub ligand_type: Vec<u32>,
        pub protein: Vec<[f64; 3]>,
        pub protein_type: Vec<u32>,
        pub p_sign: Vec<f64>,
        pub l_sign: Vec<f64>,
        pub reach: Vec<f64>,
        pub electrostatic: Vec<f64>,
        pub attracts: Vec<bool>,
        pub dissolves: Vec<bool>,
    }

    fn turn(pose: &[f64; 6]) -> [[f64; 3]; 3] {
        let (sx, cx) = pose[0].sin_cos();
        let (sy, cy) = pose[1].sin_cos();
        let (sz, cz) = pose[2].sin_cos();
        [
            [cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz],
            [cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz],
            [-sy, sx * cy, cx * cy],
        ]
    }

    fn pair_energy(field: &Field, all: &Molecules, i: usize, j: usize, x: &[f64; 3]) -> f64 {
        let (a, b) = (all.ligand_type[i] as usize, all.protein_type[j] as usize);
        let pair = i * all.protein.len() + j;
        let y = &all.protein[j];
        let e = [x[0] - y[0], x[1] - y[1], x[2] - y[2]];
        let distance = (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]).sqrt();
        let contact = field.radius[a] + field.radius[b];
        let gap = distance - contact;
        let inside = gap < 0.0;
        let mut t = 0.0;
        if inside {
            t += (1.0 - distance / contact) * 2.0 * HARDNESS;
        }
        if gap < all.electrostatic[pair] {
            let f = if inside { 1.0 } else { 1.0 - gap / all.electrostatic[pair] };
            let c = field.charge[a] * field.charge[b] * f;
            t += CHARGE * if all.attracts[pair] { -c.abs() } else { c };
        }
        if all.dissolves[pair] && all.reach[pair] > 0.0 && gap < all.reach[pair] {
            let f = if inside { 1.0 } else { 1.0 - gap / all.reach[pair] };
            t +=
                (field.hydrophobicity[b] * all.p_sign[pair] + field.hydrophobicity[a] * all.l_sign[pair]) * f;
        }
        0.5 * t
    }

    /// The energy of a pose.
    pub fn energy(pose: &[f64; 6], field: &Field, all: &Molecules) -> f64 {
        let r = turn(pose);
        let mut energy = 0.0;
        for (i, atom) in all.ligand.iter().enumerate() {
            let mut x = [pose[3], pose[4], pose[5]];
            for k in 0..3 {
                x[k] += r[k][0] * atom[0] + r[k][1] * atom[1] + r[k][2] * atom[2];
            }
            for j in 0..all.protein.len() {
                energy += pair_energy(field, all, i, j, &x);
            }
        }
        energy
    }
}

/// One pose after the other.
#[differentiate(uses(crate::docking::force_field))]
pub mod loops {
    use super::force_field::*;

    #[differentiate(wrt(poses, field))]
    pub fn total(poses: &[[f64; 6]], field: &Field, all: &Molecules) -> f64 {
        let mut total = 0.0;
        for pose in poses {
            total += energy(pose, field, all);
        }
        total
    }
}

/// A sum of a parallel iterator.
#[differentiate(uses(crate::docking::force_field))]
pub mod iterators {
    use super::force_field::*;
    use rayon::prelude::*;

    #[differentiate(wrt(poses, field))]
    pub fn total(poses: &[[f64; 6]], field: &Field, all: &Molecules) -> f64 {
        poses.par_iter().map(|pose| energy(pose, field, all)).sum()
    }
}

/// The energies first, which are added up later.
#[differentiate(uses(crate::docking::force_field))]
pub mod in_place {
    use super::force_field::*;
    use rayon::prelude::*;

    #[differentiate(wrt(poses, field))]
    pub fn total(poses: &[[f64; 6]], field: &Field, all: &Molecules) -> f64 {
        let mut energies = vec![0.0; poses.len()];
        energies.par_iter_mut().zip(poses).for_each(|(e, pose)| *e = energy(pose, field, all));
        energies.iter().sum()
    }
}

/// A task for some poses.
#[differentiate(uses(crate::docking::force_field))]
pub mod tasks {
    use super::force_field::*;

    const GRAIN: usize = 16;

    #[differentiate(wrt(poses, field))]
    pub fn total(poses: &[[f64; 6]], field: &Field, all: &Molecules) -> f64 {
        let mut energies = vec![0.0; poses.len()];
        rayon::scope(|scope| {
            for (poses, energies) in poses.chunks(GRAIN).zip(energies.chunks_mut(GRAIN)) {
                scope.spawn(move |_| {
                    for (pose, e) in poses.iter().zip(energies) {
                        *e = energy(pose, field, all);
                    }
                });
            }
        });
        energies.iter().sum()
    }
}

/// Halves of the poses at once.
#[differentiate(uses(crate::docking::force_field))]
pub mod halves {
    use super::force_field::*;

    fn sum(poses: &[[f64; 6]], field: &Field, all: &Molecules, depth: usize) -> f64 {
        if depth == 0 {
            poses.iter().map(|pose| energy(pose, field, all)).sum()
        } else {
            let (left, right) = poses.split_at(poses.len() / 2);
            let (a, b) =
                rayon::join(|| sum(left, field, all, depth - 1), || sum(right, field, all, depth - 1));
            a + b
        }
    }

    #[differentiate(wrt(poses, field))]
    pub fn total(poses: &[[f64; 6]], field: &Field, all: &Molecules) -> f64 {
        sum(poses, field, all, 1)
    }
}

use force_field::{Field, Molecules};

type Gradient = fn(&[[f64; 6]], &mut [[f64; 6]], &Field, &mut Field, &Molecules) -> f64;

const TYPES: usize = 5;

fn atoms(seed: u64, count: usize, ball: f64) -> (Vec<[f64; 3]>, Vec<u32>) {
    let positions = random(seed, 3 * count);
    let positions = positions.as_chunks().0.iter().map(|p: &[f64; 3]| p.map(|x| ball * x));
    (positions.collect(), (0..count).map(|k| (3 * k % TYPES) as u32).collect())
}

fn molecules(ligand: usize, protein: usize) -> Molecules {
    let ((ligand, ligand_type), (protein, protein_type)) = (atoms(1, ligand, 3.0), atoms(2, protein, 9.0));
    let pairs = ligand.len() * protein.len();
    let of = |values: [f64; 3]| (0..pairs).map(|k| values[(k + k / 7) % 3]).collect::<Vec<f64>>();
    Molecules {
        ligand,
        ligand_type,
        protein,
        protein_type,
        p_sign: of([1.0, -1.0, 1.0]),
        l_sign: of([-1.0, 1.0, 1.0]),
        reach: of([5.5, 0.0, 1.0]),
        electrostatic: of([4.0, 2.0, 2.0]),
        attracts: (0..pairs).map(|k| k % 5 == 0).collect(),
        dissolves: (0..pairs).map(|k| k % 4 != 0).collect(),
    }
}

/// Value and gradient of the workload, the poses one after the other.
fn expected(poses: &[[f64; 6]], field: &Field, all: &Molecules) -> Vec<f64> {
    let n = poses.len();
    let columns: Vec<f64> = (0..6 * n).map(|at| poses[at % n][at / n]).collect();
    let mut d_poses = vec![0.0; 6 * n];
    let mut d = [(); 3].map(|()| vec![0.0; TYPES]);
    let [d_radius, d_hydrophobicity, d_charge] = &mut d;
    let value = minibude::grad(
        &columns,
        &mut d_poses,
        &field.radius,
        d_radius,
        &field.hydrophobicity,
        d_hydrophobicity,
        &field.charge,
        d_charge,
        &all.ligand,
        &all.ligand_type,
        &all.protein,
        &all.protein_type,
        &all.p_sign,
        &all.l_sign,
        &all.reach,
        &all.electrostatic,
        &all.attracts,
        &all.dissolves,
        n,
    );
    let rows = (0..6 * n).map(|at| d_poses[at % 6 * n + at / 6]);
    [value].into_iter().chain(rows).chain(d.concat()).collect()
}

#[test]
fn all_versions_have_the_gradient_of_the_loop() {
    let versions: [(&str, Gradient); 5] = [
        ("loops", loops::total::grad),
        ("iterators", iterators::total::grad),
        ("in place", in_place::total::grad),
        ("tasks", tasks::total::grad),
        ("halves", halves::total::grad),
    ];
    let all = molecules(4, 23);
    let field = Field {
        radius: random(3, TYPES).iter().map(|x| 1.6 + 0.4 * x).collect(),
        hydrophobicity: random(4, TYPES),
        charge: random(5, TYPES),
    };
    // less than a part, whole parts and a last one that is shorter, and enough for threads
    for n in [0, 1, 15, 32, 37, 700] {
        let numbers = random(6, 6 * n);
        let poses: Vec<[f64; 6]> =
            numbers.as_chunks().0.iter().map(|p: &[f64; 6]| p.map(|x| 3.0 * x)).collect();
        let expected = expected(&poses, &field, &all);
        let largest = expected.iter().fold(1e-3_f64, |largest, x| largest.max(x.abs()));
        for (name, grad) in versions {
            let mut d_poses = vec![[0.0; 6]; n];
            let zeros = || vec![0.0; TYPES];
            let mut d = Field { radius: zeros(), hydrophobicity: zeros(), charge: zeros() };
            let value = grad(&poses, &mut d_poses, &field, &mut d, &all);
            let found = [vec![value], d_poses.concat(), d.radius, d.hydrophobicity, d.charge].concat();
            assert_eq!(found.len(), expected.len());
            for (at, (a, b)) in found.iter().zip(&expected).enumerate() {
                assert!((a - b).abs() <= 1e-13 * largest, "{name}, {n} poses, number {at}: {a} for {b}");
            }
        }
    }
}

#[test]
fn what_tasks_write_is_differentiated_where_it_is_written() {
    for plan in [loops::total::PLAN, iterators::total::PLAN, in_place::total::PLAN, tasks::total::PLAN] {
        assert!(plan.contains("value and gradient in one sweep"), "{plan}");
    }
    assert!(tasks::total::DECISIONS.contains("by the user's rayon tasks"), "{}", tasks::total::DECISIONS);
}
