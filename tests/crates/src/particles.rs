//! Particles that attract and repel each other.

use pardiff::differentiate;

/// The simulation and its derivatives.
#[differentiate(check)]
pub mod simulation {
    use glam::DVec3;

    /// What moves.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Particle {
        /// Where it is.
        pub at: DVec3,
        /// Its velocity.
        pub velocity: DVec3,
        /// Its mass.
        pub mass: f64,
        /// Its kind, which does not change.
        pub kind: usize,
    }

    impl Particle {
        /// The energy of its motion.
        pub fn kinetic(&self) -> f64 {
            0.5 * self.mass * self.velocity.length_squared()
        }
    }

    /// The potential of Lennard and Jones, over the distance, as a factor of it.
    fn pull(d: DVec3, depth: f64) -> DVec3 {
        let inverse = 1.0 / d.length_squared();
        let sixth = inverse * inverse * inverse;
        d * (24.0 * depth * inverse * (sixth - 2.0 * sixth * sixth))
    }

    fn forces(particles: &[Particle], depth: &[[f64; 2]; 2]) -> Vec<DVec3> {
        let mut forces = vec![DVec3::ZERO; particles.len()];
        for i in 0..particles.len() {
            for j in 0..particles.len() {
                if i != j {
                    let (a, b) = (&particles[i], &particles[j]);
                    forces[i] += pull(b.at - a.at, depth[a.kind][b.kind]);
                }
            }
        }
        forces
    }

    /// All energy.
    pub fn energy(particles: &[Particle], depth: &[[f64; 2]; 2]) -> f64 {
        let mut total = 0.0;
        for i in 0..particles.len() {
            total += particles[i].kinetic();
            for j in 0..i {
                let (a, b) = (&particles[i], &particles[j]);
                let sixth = a.at.distance_squared(b.at).powi(-3);
                total += 4.0 * depth[a.kind][b.kind] * (sixth * sixth - sixth);
            }
        }
        total
    }

    /// Steps of the velocity Verlet scheme.
    pub fn advance(particles: &mut [Particle], depth: &[[f64; 2]; 2], h: f64, steps: usize) {
        let mut forces = forces(particles, depth);
        for _ in 0..steps {
            for (p, f) in particles.iter_mut().zip(&forces) {
                p.velocity += *f * (0.5 * h / p.mass);
                p.at += p.velocity * h;
            }
            forces = self::forces(particles, depth);
            for (p, f) in particles.iter_mut().zip(&forces) {
                p.velocity += *f * (0.5 * h / p.mass);
            }
        }
    }
}
