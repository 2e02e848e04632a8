#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
//! A slice of structs with integers: their adjoints have the same type.

use pardiff::differentiate;

/// Particles.
#[differentiate]
pub mod particles {
    /// A particle.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Particle {
        /// Where it is.
        pub position: [f64; 2],
        /// Its mass.
        pub mass: f64,
        /// A number that is left alone.
        pub id: u32,
    }

    impl Particle {
        fn distance(&self, other: &Self) -> f64 {
            let [dx, dy] = [self.position[0] - other.position[0], self.position[1] - other.position[1]];
            (dx * dx + dy * dy).sqrt()
        }
    }

    /// Potential of all pairs.
    pub fn potential(particles: &[Particle]) -> f64 {
        let mut total = 0.0;
        for i in 0..particles.len() {
            for j in 0..i {
                total -= particles[i].mass * particles[j].mass / particles[i].distance(&particles[j]);
            }
        }
        total
    }
}

use particles::Particle;

pub fn main() {
    let at = |x: f64, id: u32| Particle { position: [x, 0.0], mass: 1.0, id };
    let (value, gradient) = particles::potential::gradient(&[at(0.0, 7), at(2.0, 8)]);
    assert_eq!(value, -0.5);
    assert_eq!(gradient.particles[1], Particle { position: [0.25, 0.0], mass: -0.5, id: 8 });
}
