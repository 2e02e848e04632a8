//! Cross sections of neutrons, looked up and summed from poles.

use super::shapes::{Number, Rows, Shape, Slice};
use super::{Constants, Workload, numbers};
use crate::cross_section::cross_section;
use crate::data::Lcg;
use crate::multipole::multipole;

/// Three materials: all nuclides, the first half of them, the first three.
fn materials(nuclides: usize) -> (Vec<u32>, Vec<u32>) {
    let (mut start, mut members) = (vec![0], Vec::new());
    for count in [nuclides, nuclides / 2, nuclides.min(3)] {
        members.extend(0..count as u32);
        start.push(members.len() as u32);
    }
    (start, members)
}

/// Lookups on a unionised grid.
pub(super) struct Lookups {
    nuclides: usize,
    points: usize,
    grid: Vec<f64>,
    union_energy: Vec<f64>,
    union_index: Vec<u32>,
    start: Vec<u32>,
    members: Vec<u32>,
    energy: Vec<f64>,
    material: Vec<u32>,
    parameters: Vec<f64>,
}

const WEIGHT: [f64; 5] = [1.0, 0.5, 0.25, 0.1, 0.05];

impl Lookups {
    /// `1000x12x50` is 1000 particles and 12 nuclides of 50 points.
    pub(super) fn load(case: &str) -> Option<Lookups> {
        let [count, nuclides, points] = numbers(case)?;
        let (start, members) = materials(nuclides);
        let mut random = Lcg(31);
        let mut parameters = random.floats(nuclides * points * 5, 0.0, 1.0);
        parameters.extend(random.floats(members.len(), 0.1, 1.0));
        let mut grid = random.floats(nuclides * points, 0.0, 1.0);
        for nuclide in grid.chunks_mut(points) {
            nuclide.sort_by(f64::total_cmp);
        }
        let mut union_energy = grid.clone();
        union_energy.sort_by(f64::total_cmp);
        let mut union_index = Vec::with_capacity(union_energy.len() * nuclides);
        for energy in &union_energy {
            for nuclide in grid.chunks(points) {
                let above = nuclide.partition_point(|e| e <= energy);
                union_index.push(above.saturating_sub(1).min(points - 2) as u32);
            }
        }
        let energy = random.floats(count, 0.0, 1.0);
        let material = random.indices(count, 3);
        Some(Lookups {
            nuclides,
            points,
            grid,
            union_energy,
            union_index,
            start,
            members,
            energy,
            material,
            parameters,
        })
    }
}

impl Workload for Lookups {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: cross_section(
            channels: Rows<5> = 5 * self.grid.len(), density: Slice = self.members.len();
            &self.grid, &self.union_energy, &self.union_index, &self.start, &self.members, &self.energy, &self.material,
            &WEIGHT, self.nuclides, self.points
        )
    }

    fn constants(&self) -> Constants {
        Constants {
            sizes: vec![self.nuclides, self.points],
            indices: vec![
                self.union_index.clone(),
                self.start.clone(),
                self.members.clone(),
                self.material.clone(),
            ],
            floats: vec![self.grid.clone(), self.union_energy.clone(), self.energy.clone()],
        }
    }

    fn operations(&self) -> f64 {
        (60 * self.energy.len() * self.members.len() / 3) as f64
    }
}

/// Sums over poles.
pub(super) struct Poles {
    windows: usize,
    poles: usize,
    first: Vec<u32>,
    start: Vec<u32>,
    members: Vec<u32>,
    energy: Vec<f64>,
    material: Vec<u32>,
    parameters: Vec<f64>,
}

impl Poles {
    /// `1000x12x50` is 1000 particles and 12 nuclides of 50 windows.
    pub(super) fn load(case: &str) -> Option<Poles> {
        let [count, nuclides, windows] = numbers(case)?;
        let (start, members) = materials(nuclides);
        let mut random = Lcg(32);
        let (mut first, mut pole) = (vec![0], Vec::new());
        for w in 0..nuclides * windows {
            for _ in 0..2 + random.index(3) {
                pole.push(((w % windows) as f64 + random.float(0.0, 1.0)) / windows as f64);
                pole.push(random.float(-0.02, -0.001));
            }
            first.push((pole.len() / 2) as u32);
        }
        let poles = pole.len() / 2;
        let mut parameters = pole;
        parameters.extend(random.floats(4 * poles, -0.1, 0.1));
        parameters.extend(random.floats(2 * nuclides * windows, 0.0, 1.0));
        parameters.extend(random.floats(members.len(), 0.1, 1.0));
        parameters.push(200.0);
        let energy = random.floats(count, 0.01, 0.99);
        let material = random.indices(count, 3);
        Some(Poles { windows, poles, first, start, members, energy, material, parameters })
    }
}

impl Workload for Poles {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: multipole(
            pole: Rows<2> = 2 * self.poles, residue: Rows<4> = 4 * self.poles,
            background: Rows<2> = 2 * (self.first.len() - 1), density: Slice = self.members.len(), doppler: Number = 1;
            &self.first, &self.start, &self.members, &self.energy, &self.material, self.windows
        )
    }

    fn constants(&self) -> Constants {
        Constants {
            sizes: vec![self.windows],
            indices: vec![
                self.first.clone(),
                self.start.clone(),
                self.members.clone(),
                self.material.clone(),
            ],
            floats: vec![self.energy.clone()],
        }
    }

    fn operations(&self) -> f64 {
        (600 * self.energy.len() * self.members.len()) as f64
    }
}
