//! Docks a ligand to a protein: the energies of poses by miniBUDE's force field, and the best of them moved to where it binds better.
//!
//! ```text
//! cargo run --release --example docking -- [PATH.svg]
//! ```
//!
//! The deck is miniBUDE's bm1 with its first 256 poses. Their energies are checked against those that come with the deck; then
//! L-BFGS turns and shifts the best pose, with the gradient of its energy. A picture shows the ligand among the protein's atoms before and after, and the energy on the way.

#[path = "../workloads/minibude.rs"]
mod kernel;

use kernel::minibude;
use pardiff_examples::charts::{self, BLUE, Chart, GREY, RED, Series};
use pardiff_examples::descent;
use pardiff_inputs::deck::Deck;
use std::path::Path;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/bm1");
const REFERENCE: &str = include_str!("data/bm1/ref_energies.out");
const POSES: usize = 256;
/// The reference was computed in single precision.
const TOLERANCE: f64 = 1e-3;

/// The sum of the energies of poses, and its gradient by them.
fn gradient(deck: &Deck, poses: &[f64]) -> (f64, Vec<f64>) {
    let mut d_poses = vec![0.0; poses.len()];
    let mut d_radius = vec![0.0; deck.radius.len()];
    let mut d_hydrophobicity = vec![0.0; deck.hydrophobicity.len()];
    let mut d_charge = vec![0.0; deck.charge.len()];
    let energy = minibude::grad(
        poses,
        &mut d_poses,
        &deck.radius,
        &mut d_radius,
        &deck.hydrophobicity,
        &mut d_hydrophobicity,
        &deck.charge,
        &mut d_charge,
        &deck.ligand,
        &deck.ligand_type,
        &deck.protein,
        &deck.protein_type,
        &deck.p_sign,
        &deck.l_sign,
        &deck.reach,
        &deck.electrostatic,
        &deck.attracts,
        &deck.dissolves,
        poses.len() / 6,
    );
    (energy, d_poses)
}

/// The energy of each pose.
fn energies(deck: &Deck, poses: &[f64]) -> Vec<f64> {
    let n = poses.len() / 6;
    let pose = |m: usize| -> Vec<f64> { (0..6).map(|k| poses[k * n + m]).collect() };
    (0..n).map(|m| gradient(deck, &pose(m)).0).collect()
}

/// The atoms of a ligand, turned and shifted by a pose.
fn placed(ligand: &[[f64; 3]], pose: &[f64]) -> Vec<[f64; 3]> {
    let [(sx, cx), (sy, cy), (sz, cz)] = [pose[0], pose[1], pose[2]].map(f64::sin_cos);
    let turned = |[x, y, z]: [f64; 3]| {
        let (y, z) = (cx * y - sx * z, sx * y + cx * z);
        let (x, z) = (cy * x + sy * z, cy * z - sy * x);
        [cz * x - sz * y + pose[3], sz * x + cz * y + pose[4], z + pose[5]]
    };
    ligand.iter().copied().map(turned).collect()
}

fn main() -> Result<(), String> {
    let deck = Deck::read(Path::new(FOLDER), POSES).ok_or_else(|| format!("no deck in {FOLDER}"))?;
    println!("{} atoms against {}, {POSES} poses", deck.ligand.len(), deck.protein.len());

    let before = energies(&deck, &deck.poses);
    let reference = REFERENCE.lines().map(|line| line.trim().parse().map_err(|e| format!("{line}: {e}")));
    let reference = reference.collect::<Result<Vec<f64>, String>>()?;
    let errors = before.iter().zip(&reference).map(|(a, b)| (a - b).abs() / b.abs().max(1.0));
    let worst = errors.fold(0.0, f64::max);
    println!("energies against those of the deck: largest relative error {worst:.1e}");
    if reference.len() != POSES || worst.is_nan() || worst > TOLERANCE {
        return Err("the energies are not those of the deck".to_owned());
    }

    println!("docking of the best pose, L-BFGS");
    let best = (0..POSES).min_by(|&a, &b| before[a].total_cmp(&before[b])).unwrap_or(0);
    let start: Vec<f64> = (0..6).map(|k| deck.poses[k * POSES + best]).collect();
    // so that the first step is a fraction of an atom
    let scaled = |pose: &[f64]| {
        let (energy, gradient) = gradient(&deck, pose);
        (1e-3 * energy, gradient.iter().map(|g| 1e-3 * g).collect())
    };
    let (found, costs) = descent::minimise(scaled, start.clone(), 100)?;
    let (after, _) = gradient(&deck, &found);
    println!("  pose {start:>8.3?}, energy {:.3}", before[best]);
    println!("  pose {found:>8.3?}, energy {after:.3}");
    if after >= before[best] {
        return Err("no pose binds better than before".to_owned());
    }

    let from_above = |p: &[f64; 3]| (p[0], p[1]);
    let ligand = |pose: &[f64]| placed(&deck.ligand, pose).iter().map(from_above).collect();
    let around = |atom: &&[f64; 3]| {
        let near = |p: &[f64; 3]| (0..3).map(|k| (p[k] - atom[k]).powi(2)).sum::<f64>() < 49.0;
        placed(&deck.ligand, &found).iter().any(near)
    };
    let protein = deck.protein.iter().filter(around).map(from_above).collect();
    let site = Chart {
        title: "the ligand among the atoms of the protein around it",
        axes: ["x", "y"],
        series: vec![
            Series::dots("protein", GREY, 3, protein),
            Series::dots("best pose of the deck", BLUE, 5, ligand(&start)),
            Series::dots("found", RED, 5, ligand(&found)),
        ],
    };
    let energies: Vec<f64> = costs.iter().map(|cost| 1e3 * cost).collect();
    let descent = Chart {
        title: "energy of the pose",
        axes: ["iteration", "energy"],
        series: vec![Series::steps("", RED, &energies)],
    };
    charts::write("docking", &[site, descent])
}
