//! The binary files of a miniBUDE deck (University of Bristol, Apache-2.0), and a generated deck of the same sizes.

use super::Lcg;
use std::path::Path;

/// A protein, a ligand and its poses, with the force field.
pub struct Deck {
    /// Number of poses.
    pub n: usize,
    /// Six rows of `n`.
    pub poses: Vec<f64>,
    /// One a type.
    pub radius: Vec<f64>,
    /// One a type.
    pub hydrophobicity: Vec<f64>,
    /// One a type.
    pub charge: Vec<f64>,
    /// One an atom.
    pub ligand: Vec<[f64; 3]>,
    /// One an atom.
    pub ligand_type: Vec<u32>,
    /// One an atom.
    pub protein: Vec<[f64; 3]>,
    /// One an atom.
    pub protein_type: Vec<u32>,
    /// One a pair: sign of the protein's hydrophobicity.
    pub p_sign: Vec<f64>,
    /// One a pair: sign of the ligand's hydrophobicity.
    pub l_sign: Vec<f64>,
    /// One a pair: reach of desolvation.
    pub reach: Vec<f64>,
    /// One a pair: reach of charges.
    pub electrostatic: Vec<f64>,
    /// One a pair: whether it attracts whatever the charges.
    pub attracts: Vec<bool>,
    /// One a pair: whether it dissolves.
    pub dissolves: Vec<bool>,
}

/// The kinds of hydrogen bonds that the energy tells apart: the letters E and F.
const EITHER: i32 = 69;
const FORMS: i32 = 70;

struct Atoms {
    positions: Vec<[f64; 3]>,
    types: Vec<u32>,
}

struct ForceField {
    bonds: Vec<i32>,
    radius: Vec<f64>,
    hydrophobicity: Vec<f64>,
    charge: Vec<f64>,
}

impl Deck {
    /// The first `n` poses of the deck in a folder.
    pub fn read(folder: &Path, n: usize) -> Option<Deck> {
        let ligand = atoms(&words(&folder.join("ligand.in"))?);
        let protein = atoms(&words(&folder.join("protein.in"))?);
        let field = words(&folder.join("forcefield.in"))?;
        let all = words(&folder.join("poses.in"))?;
        let of = all.len() / 6;
        let column =
            |k: usize| field.as_chunks::<4>().0.iter().map(|record| float(record[k])).collect::<Vec<f64>>();
        let field = ForceField {
            bonds: field.as_chunks::<4>().0.iter().map(|record| i32::from_le_bytes(record[0])).collect(),
            radius: column(1),
            hydrophobicity: column(2),
            charge: column(3),
        };
        let types = field.bonds.len() as u32;
        if n > of || ligand.types.iter().chain(&protein.types).any(|&t| t >= types) {
            return None;
        }
        let poses = (0..6).flat_map(|k| all[k * of..k * of + n].iter().map(|&word| float(word))).collect();
        Some(Deck::new(n, poses, field, ligand, protein))
    }

    /// `n` poses of a ligand of 26 atoms in a ball of 938, with 34 types.
    pub fn generated(n: usize) -> Deck {
        Deck::of_sizes(n, 26, 938, 34)
    }

    /// As [`generated`](Deck::generated), with other numbers of atoms and types.
    pub fn of_sizes(n: usize, ligand: usize, protein: usize, types: usize) -> Deck {
        let mut random = Lcg(26);
        let field = ForceField {
            bonds: (0..types).map(|t| [FORMS, EITHER, 0, 0][t % 4]).collect(),
            radius: random.floats(types, 1.2, 2.0),
            hydrophobicity: (0..types)
                .map(|t| (t % 3) as f64 - 1.0)
                .map(|s| s * random.float(0.2, 1.0))
                .collect(),
            charge: random.floats(types, -0.5, 0.5),
        };
        let mut ball = |count: usize, radius: f64| {
            let mut positions = Vec::with_capacity(count);
            while positions.len() < count {
                let p: [f64; 3] = std::array::from_fn(|_| random.float(-radius, radius));
                if p.iter().map(|x| x * x).sum::<f64>() < radius * radius {
                    positions.push(p);
                }
            }
            Atoms { positions, types: random.indices(count, types) }
        };
        let (ligand, protein) = (ball(ligand, 5.0), ball(protein, 17.0));
        let mut poses = random.floats(3 * n, -std::f64::consts::PI, std::f64::consts::PI);
        poses.extend(random.floats(3 * n, -6.0, 6.0));
        Deck::new(n, poses, field, ligand, protein)
    }

    fn new(n: usize, poses: Vec<f64>, field: ForceField, ligand: Atoms, protein: Atoms) -> Deck {
        let ForceField { bonds, radius, hydrophobicity, charge } = field;
        let mut deck = Deck {
            n,
            poses,
            radius,
            hydrophobicity,
            charge,
            ligand: ligand.positions,
            ligand_type: ligand.types,
            protein: protein.positions,
            protein_type: protein.types,
            p_sign: Vec::new(),
            l_sign: Vec::new(),
            reach: Vec::new(),
            electrostatic: Vec::new(),
            attracts: Vec::new(),
            dissolves: Vec::new(),
        };
        for &a in &deck.ligand_type {
            for &b in &deck.protein_type {
                let (a, b) = (a as usize, b as usize);
                let (l, p) = (deck.hydrophobicity[a], deck.hydrophobicity[b]);
                deck.p_sign.push(if p < 0.0 && l > 0.0 { -1.0 } else { 1.0 });
                deck.l_sign.push(if p > 0.0 && l < 0.0 { -1.0 } else { 1.0 });
                deck.reach.push(match (p < 0.0, l < 0.0) {
                    (true, true) => 5.5,
                    (false, false) => 0.0,
                    _ => 1.0,
                });
                deck.electrostatic.push(if bonds[a] == FORMS && bonds[b] == FORMS { 4.0 } else { 2.0 });
                deck.attracts.push(bonds[a] == EITHER || bonds[b] == EITHER);
                deck.dissolves.push(p != 0.0);
            }
        }
        deck
    }
}

fn words(path: &Path) -> Option<Vec<[u8; 4]>> {
    Some(std::fs::read(path).ok()?.as_chunks().0.to_vec())
}

fn float(word: [u8; 4]) -> f64 {
    f64::from(f32::from_le_bytes(word))
}

fn atoms(words: &[[u8; 4]]) -> Atoms {
    let records = words.as_chunks::<4>().0;
    Atoms {
        positions: records.iter().map(|&[x, y, z, _]| [float(x), float(y), float(z)]).collect(),
        types: records.iter().map(|record| u32::from_le_bytes(record[3])).collect(),
    }
}
