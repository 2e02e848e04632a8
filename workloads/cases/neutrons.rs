//! Cross sections of neutrons, looked up and summed from poles.

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

    fn split<'a>(&self, p: &'a [f64]) -> (&'a [[f64; 5]], &'a [f64]) {
        let (channels, density) = p.split_at(5 * self.grid.len());
        (channels.as_chunks().0, density)
    }
}

/// The arguments behind the parameters.
macro_rules! lookup {
    ($function:path, $this:ident, $($parameter:expr),+) => {
        $function(
            $($parameter,)+
            &$this.grid,
            &$this.union_energy,
            &$this.union_index,
            &$this.start,
            &$this.members,
            &$this.energy,
            &$this.material,
            &WEIGHT,
            $this.nuclides,
            $this.points,
        )
    };
}

impl Workload for Lookups {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    fn primal(&self, p: &[f64]) -> f64 {
        let (channels, density) = self.split(p);
        lookup!(cross_section, self, channels, density)
    }

    fn value(&self, p: &[f64]) -> f64 {
        let (channels, density) = self.split(p);
        lookup!(cross_section::value, self, channels, density)
    }

    fn grad(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let (channels, density) = self.split(p);
        let (d_channels, d_density) = g.split_at_mut(5 * self.grid.len());
        lookup!(cross_section::grad, self, channels, d_channels.as_chunks_mut().0, density, d_density)
    }

    fn grad_into(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let (channels, density) = self.split(p);
        let (d_channels, d_density) = g.split_at_mut(5 * self.grid.len());
        lookup!(cross_section::grad_into, self, channels, d_channels.as_chunks_mut().0, density, d_density)
    }

    fn plan(&self) -> &'static str {
        cross_section::DECISIONS
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

/// The call of a gradient.
macro_rules! resonances {
    ($function:path, $this:ident, $p:ident, $g:ident) => {{
        let (pole, p) = $p.split_at(2 * $this.poles);
        let (residue, p) = p.split_at(4 * $this.poles);
        let (background, p) = p.split_at(2 * ($this.first.len() - 1));
        let (density, doppler) = p.split_at($this.members.len());
        let (d_pole, g) = $g.split_at_mut(2 * $this.poles);
        let (d_residue, g) = g.split_at_mut(4 * $this.poles);
        let (d_background, g) = g.split_at_mut(2 * ($this.first.len() - 1));
        let (d_density, d_doppler) = g.split_at_mut($this.members.len());
        $function(
            pole.as_chunks().0,
            d_pole.as_chunks_mut().0,
            residue.as_chunks().0,
            d_residue.as_chunks_mut().0,
            background.as_chunks().0,
            d_background.as_chunks_mut().0,
            density,
            d_density,
            doppler[0],
            &mut d_doppler[0],
            &$this.first,
            &$this.start,
            &$this.members,
            &$this.energy,
            &$this.material,
            $this.windows,
        )
    }};
    ($function:path, $this:ident, $p:ident) => {{
        let (pole, p) = $p.split_at(2 * $this.poles);
        let (residue, p) = p.split_at(4 * $this.poles);
        let (background, p) = p.split_at(2 * ($this.first.len() - 1));
        let (density, doppler) = p.split_at($this.members.len());
        $function(
            pole.as_chunks().0,
            residue.as_chunks().0,
            background.as_chunks().0,
            density,
            doppler[0],
            &$this.first,
            &$this.start,
            &$this.members,
            &$this.energy,
            &$this.material,
            $this.windows,
        )
    }};
}

impl Workload for Poles {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    fn primal(&self, p: &[f64]) -> f64 {
        resonances!(multipole, self, p)
    }

    fn value(&self, p: &[f64]) -> f64 {
        resonances!(multipole::value, self, p)
    }

    fn grad(&self, p: &[f64], g: &mut [f64]) -> f64 {
        resonances!(multipole::grad, self, p, g)
    }

    fn grad_into(&self, p: &[f64], g: &mut [f64]) -> f64 {
        resonances!(multipole::grad_into, self, p, g)
    }

    fn plan(&self) -> &'static str {
        multipole::DECISIONS
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
