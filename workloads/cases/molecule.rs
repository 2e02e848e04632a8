//! Atoms: docking, and a gas with neighbour lists.

use super::shapes::{Rows, Shape, Slice};
use super::{Constants, Workload, numbers};
use crate::by_hand;
use crate::data::deck::Deck;
use crate::data::{Lcg, directory};
use crate::lennard_jones::lennard_jones;
use crate::minibude::minibude;

/// Poses of a ligand.
pub(super) struct Docking {
    deck: Deck,
    substitute: bool,
}

impl Docking {
    /// `1024` is that many poses of miniBUDE's deck bm1, or of a generated one; `13x4x40` is 13 poses of 4 atoms against 40.
    pub(super) fn load(case: &str) -> Option<Docking> {
        if let Some([n, ligand, protein]) = numbers(case) {
            return Some(Docking { deck: Deck::of_sizes(n, ligand, protein, 7), substitute: false });
        }
        let [n] = numbers(case)?;
        let read = directory().and_then(|path| Deck::read(&path.join("minibude/bm1"), n));
        let substitute = read.is_none();
        Some(Docking { deck: read.unwrap_or_else(|| Deck::generated(n)), substitute })
    }
}

impl Workload for Docking {
    fn parameters(&self) -> Vec<f64> {
        let Deck { poses, radius, hydrophobicity, charge, .. } = &self.deck;
        [poses.as_slice(), radius, hydrophobicity, charge].concat()
    }

    super::entry_points! {
        self: minibude(
            poses: Slice = self.deck.poses.len(),
            radius: Slice = self.deck.radius.len(),
            hydrophobicity: Slice = self.deck.hydrophobicity.len(),
            charge: Slice = self.deck.charge.len();
            &self.deck.ligand, &self.deck.ligand_type, &self.deck.protein, &self.deck.protein_type, &self.deck.p_sign,
            &self.deck.l_sign, &self.deck.reach, &self.deck.electrostatic, &self.deck.attracts, &self.deck.dissolves,
            self.deck.n
        )
    }

    fn constants(&self) -> Constants {
        let deck = &self.deck;
        let bits = |b: &[bool]| b.iter().map(|&b| u32::from(b)).collect();
        Constants {
            sizes: vec![deck.n, deck.radius.len()],
            indices: vec![
                deck.ligand_type.clone(),
                deck.protein_type.clone(),
                bits(&deck.attracts),
                bits(&deck.dissolves),
            ],
            floats: vec![
                deck.ligand.concat(),
                deck.protein.concat(),
                deck.p_sign.clone(),
                deck.l_sign.clone(),
                deck.reach.clone(),
                deck.electrostatic.clone(),
            ],
        }
    }

    fn operations(&self) -> f64 {
        (25 * self.deck.n * self.deck.p_sign.len()) as f64
    }

    fn is_substitute(&self) -> bool {
        self.substitute
    }
}

/// Atoms in a box with the pairs that are near.
pub(super) struct Argon {
    positions: Vec<f64>,
    pub(super) start: Vec<u32>,
    pub(super) neighbours: Vec<u32>,
}

const SIGMA: f64 = 1.0;
const CUTOFF: f64 = 2.5;

impl Argon {
    /// So many atoms near the points of a cubic lattice.
    pub(super) fn load(case: &str) -> Option<Argon> {
        let [n] = numbers(case)?;
        let side = (1..).find(|s| s * s * s >= n)?;
        let mut random = Lcg(7007);
        let mut positions = Vec::with_capacity(3 * n);
        for i in 0..n {
            for cell in [i % side, i / side % side, i / side / side] {
                positions.push(1.2 * cell as f64 + random.float(-0.15, 0.15));
            }
        }
        // neighbours of higher number within the cut-off and a skin, found through the lattice
        let (mut start, mut neighbours) = (vec![0], Vec::new());
        let atoms = positions.as_chunks::<3>().0;
        for (i, p) in atoms.iter().enumerate() {
            let at = [i % side, i / side % side, i / side / side].map(|c| c as i64);
            for z in at[2]..=at[2] + 3 {
                for y in at[1] - 3..=at[1] + 3 {
                    for x in at[0] - 3..=at[0] + 3 {
                        if [x, y, z].iter().any(|&c| c < 0 || c >= side as i64) {
                            continue;
                        }
                        let j = x as usize + side * (y as usize + side * z as usize);
                        let near = |q: &[f64; 3]| {
                            (0..3).map(|a| (p[a] - q[a]).powi(2)).sum::<f64>() < (CUTOFF + 0.3).powi(2)
                        };
                        if j > i && j < n && near(&atoms[j]) {
                            neighbours.push(j as u32);
                        }
                    }
                }
            }
            start.push(neighbours.len() as u32);
        }
        Some(Argon { positions, start, neighbours })
    }
}

impl Workload for Argon {
    fn parameters(&self) -> Vec<f64> {
        self.positions.clone()
    }

    super::entry_points! {
        self: lennard_jones(
            position: Rows<3> = self.positions.len(); &self.start, &self.neighbours, SIGMA, CUTOFF
        )
    }

    fn constants(&self) -> Constants {
        Constants { indices: vec![self.start.clone(), self.neighbours.clone()], ..Constants::default() }
    }

    fn operations(&self) -> f64 {
        (30 * self.neighbours.len()) as f64
    }

    fn by_hand(&self, p: &[f64], g: &mut [f64]) -> Option<f64> {
        let (p, g) = (p.as_chunks().0, g.as_chunks_mut().0);
        Some(by_hand::lennard_jones(p, g, &self.start, &self.neighbours, SIGMA, CUTOFF))
    }
}
