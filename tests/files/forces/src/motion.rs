//! The methods of the struct of another file.

use crate::atom::{Atom, Kind};
use crate::constants::{REST, WEIGHTS};
use crate::geometry::squared_distance;
use pardiff::differentiate;

#[differentiate(export, uses(Atom, Kind, squared_distance, REST, WEIGHTS))]
impl Atom {
    /// The distance to another atom.
    pub fn distance(&self, other: &Atom) -> f64 {
        squared_distance(&self.at, &other.at).sqrt()
    }

    /// The energy of a pair.
    pub fn energy(&self, other: &Atom, kind: Kind) -> f64 {
        let distance = self.distance(other);
        match kind {
            Kind::Coulomb => WEIGHTS[1] * self.charge * other.charge / distance,
            Kind::Spring(length) => (distance - length * REST) * (distance - length * REST),
        }
    }
}
