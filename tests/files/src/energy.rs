//! A loss over what another crate exports.

use force_fields::atom::{Atom, Kind};
use force_fields::bonds::springs::{self, Bond, chain};
use force_fields::geometry;
use force_fields::motion::atom;
use pardiff::differentiate;

/// The energy of all pairs in a list.
#[differentiate(uses(Atom, Kind, atom), forward, check)]
pub fn energy(atoms: &[Atom], pairs: &[[usize; 2]], length: f64) -> f64 {
    let mut sum = 0.0;
    for p in 0..pairs.len() {
        let (a, b) = (&atoms[pairs[p][0]], &atoms[pairs[p][1]]);
        sum += a.energy(b, Kind::Coulomb) + a.energy(b, Kind::Spring(length));
    }
    sum
}

/// The energy of a chain that is bent.
#[differentiate(uses(springs, geometry::each), check)]
pub fn bent(points: &[[f64; 3]], bond: &Bond, scale: f64) -> f64 {
    let first = geometry::each(points[0], |x| scale * x * x);
    chain(points, bond) + springs::chain(points, bond) + first[0] * first[1] + first[2]
}

/// The same by paths alone.
#[differentiate(uses(force_fields::atom::Atom, force_fields::geometry::squared_distance), check)]
pub fn moments(atoms: &[force_fields::atom::Atom], centre: &mut [f64; 3]) -> f64 {
    let mut sum = 0.0;
    for a in atoms {
        sum += a.charge * force_fields::geometry::squared_distance(&a.at, centre);
        centre[0] += a.charge * a.at[0];
    }
    sum
}
