//! What happens to an element, to a node, and to the time in one cycle.

#[cfg(feature = "export")]
use pardiff::differentiate;

/// The physics of an element and of a node.
#[cfg_attr(
    feature = "export",
    differentiate(export = "only", uses(crate::Domain, crate::domain::FREE, crate::geometry::hexahedron))
)]
pub mod cell {
    use crate::domain::{Domain, FREE};
    use crate::geometry::hexahedron::*;

    /// The corners of an element's faces, which one sees in turn from inside.
    const FACES: [[usize; 4]; 6] =
        [[0, 1, 2, 3], [0, 4, 5, 1], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 4, 0], [4, 7, 6, 5]];

    /// Of the first four corners, those across the element.
    const ACROSS: [usize; 4] = [6, 7, 4, 5];

    /// The four ways in which corners can move without a change of the mean strain.
    const HOURGLASS: [[f64; 8]; 4] = [
        [1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0],
        [1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0],
        [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0],
        [-1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0],
    ];

    /// The corners on either side of an element, by direction.
    const BELOW: [[usize; 4]; 3] = [[0, 3, 7, 4], [0, 1, 5, 4], [0, 1, 2, 3]];
    const ABOVE: [[usize; 4]; 3] = [[1, 2, 6, 5], [3, 2, 6, 7], [4, 5, 6, 7]];

    /// The blast ends here.
    pub const STOP_TIME: f64 = 1e-2;
    const LARGEST_STEP: f64 = 1e-2;
    const LEAST_GROWTH: f64 = 1.1;
    const LARGEST_GROWTH: f64 = 1.2;
    const ENERGY_CUT: f64 = 1e-7;
    const PRESSURE_CUT: f64 = 1e-7;
    const VISCOSITY_CUT: f64 = 1e-7;
    /// A volume so near to that at the start is that.
    pub const VOLUME_CUT: f64 = 1e-10;
    const SPEED_CUT: f64 = 1e-7;
    const HOURGLASS_COEFFICIENT: f64 = 3.0;
    /// More is an error.
    pub const LARGEST_VISCOSITY: f64 = 1e12;
    const LARGEST_SLOPE: f64 = 1.0;
    const LIMITER: f64 = 2.0;
    const LINEAR_VISCOSITY: f64 = 0.5;
    const QUADRATIC_VISCOSITY: f64 = 2.0 / 3.0;
    const COURANT: f64 = 2.0;
    const LARGEST_VOLUME: f64 = 1e9;
    const SMALLEST_VOLUME: f64 = 1e-9;
    const LEAST_ENERGY: f64 = -1e15;
    const LARGEST_CHANGE: f64 = 0.1;
    const TINY: f64 = 1e-36;
    const GAS: f64 = 2.0 / 3.0;
    /// A time that bounds nothing.
    pub const LONG: f64 = 1e20;

    /// The size of the next time step, and the time after it.
    pub fn advance_time(domain: &mut Domain) {
        let mut target = STOP_TIME - domain.time;
        if domain.cycle != 0 {
            let old = domain.time_step;
            let mut new = 1e20;
            if domain.courant < new {
                new = domain.courant / 2.0;
            }
            if domain.hydro < new {
                new = domain.hydro * 2.0 / 3.0;
            }
            let ratio = new / old;
            if ratio >= 1.0 {
                if ratio < LEAST_GROWTH {
                    new = old;
                } else if ratio > LARGEST_GROWTH {
                    new = old * LARGEST_GROWTH;
                }
            }
            if new > LARGEST_STEP {
                new = LARGEST_STEP;
            }
            domain.time_step = new;
        }
        if target > domain.time_step && target < 4.0 * domain.time_step / 3.0 {
            target = 2.0 * domain.time_step / 3.0;
        }
        if target < domain.time_step {
            domain.time_step = target;
        }
        domain.time += domain.time_step;
        domain.cycle += 1;
    }

    /// The forces of an element on its corners: of pressure and viscosity on the faces, and against hourglass
    /// modes.
    ///
    /// # Panics
    ///
    /// Panics where the element has no volume.
    pub fn corner_forces(domain: &Domain, i: usize) -> [[f64; 3]; 8] {
        let corners = domain.corners[i];
        let p = gathered(&domain.position, &corners);
        let v = gathered(&domain.velocity, &corners);
        let stress = -domain.pressure[i] - domain.viscosity[i];
        let mut of_corner = [[0.0; 3]; 8];
        for face in FACES {
            let ([a, b], [c, d]) = ([p[face[0]], p[face[1]]], [p[face[2]], p[face[3]]]);
            let first = scaled(0.5, sub(sub(add(d, c), b), a));
            let second = scaled(0.5, sub(sub(add(c, b), d), a));
            let area = scaled(0.25, cross(first, second));
            for c in face {
                for k in 0..3 {
                    of_corner[c][k] -= stress * area[k];
                }
            }
        }

        assert!(domain.volume[i] > 0.0, "an element with no volume");
        let volume = domain.reference_volume[i] * domain.volume[i];
        let coefficient =
            -HOURGLASS_COEFFICIENT * 0.01 * domain.sound_speed[i] * domain.element_mass[i] / volume.cbrt();
        resist_hourglasses(&p, &v, volume, coefficient, &mut of_corner);
        of_corner
    }

    /// Adds the forces against hourglass modes to those on the corners of an element at `p`, which move with `v`.
    pub fn resist_hourglasses(
        p: &[[f64; 3]; 8],
        v: &[[f64; 3]; 8],
        volume: f64,
        coefficient: f64,
        of_corner: &mut [[f64; 3]; 8],
    ) {
        let by_place = volume_by_place(p);
        let inverse = 1.0 / volume;
        for mode in HOURGLASS {
            let mut moment = [0.0; 3];
            for c in 0..8 {
                for k in 0..3 {
                    moment[k] += p[c][k] * mode[c];
                }
            }
            let mut shape = [0.0; 8];
            let mut speed = [0.0; 3];
            for c in 0..8 {
                shape[c] = mode[c] - inverse * dot(by_place[c], moment);
                for k in 0..3 {
                    speed[k] += shape[c] * v[c][k];
                }
            }
            for c in 0..8 {
                for k in 0..3 {
                    of_corner[c][k] += coefficient * shape[c] * speed[k];
                }
            }
        }
    }

    /// Moves a node for one step, from its place and velocity.
    pub fn moved(domain: &Domain, n: usize, force: &[f64; 3]) -> ([f64; 3], [f64; 3]) {
        let dt = domain.time_step;
        let (mut place, mut velocity) = (domain.position[n], domain.velocity[n]);
        for k in 0..3 {
            let acceleration = if domain.held[n][k] { 0.0 } else { force[k] / domain.node_mass[n] };
            let mut v = velocity[k] + acceleration * dt;
            if v.abs() < SPEED_CUT {
                v = 0.0;
            }
            velocity[k] = v;
            place[k] += v * dt;
        }
        (place, velocity)
    }

    /// What happened to an element.
    #[derive(Clone, Copy, Default)]
    pub struct Strain {
        /// Its volume, relative to the reference.
        pub volume: f64,
        /// What sound has to cross.
        pub length: f64,
        /// The rate of the volume.
        pub rate: f64,
        /// By direction: how fast the faces come together.
        pub closing: [f64; 3],
        /// How far they are apart.
        pub width: [f64; 3],
    }

    /// What the motion of its corners did to an element.
    ///
    /// # Panics
    ///
    /// Panics where no volume is left.
    pub fn strain(domain: &Domain, i: usize) -> Strain {
        let corners = domain.corners[i];
        let p = gathered(&domain.position, &corners);
        let v = gathered(&domain.velocity, &corners);
        let volume = volume_of(&p);
        let relative = volume / domain.reference_volume[i];
        assert!(relative > 0.0, "an element with no volume");
        let length = characteristic_length(&p, volume);

        let mut middle = [[0.0; 3]; 8];
        for c in 0..8 {
            middle[c] = sub(p[c], scaled(0.5 * domain.time_step, v[c]));
        }
        let (by, det) = shape_derivatives(&middle);
        let mut rate = 0.0;
        for k in 0..3 {
            let mut sum = 0.0;
            for c in 0..4 {
                sum += by[c][k] * (v[c][k] - v[ACROSS[c]][k]);
            }
            rate += 1.0 / det * sum;
        }

        let mut axes = [[0.0; 3]; 3];
        let mut relative_speed = [[0.0; 3]; 3];
        for d in 0..3 {
            for k in 0..3 {
                let (mut along, mut speed) = (0.0, 0.0);
                for c in ABOVE[d] {
                    along += p[c][k];
                    speed += v[c][k];
                }
                for c in BELOW[d] {
                    along -= p[c][k];
                    speed -= v[c][k];
                }
                axes[d][k] = 0.25 * along;
                relative_speed[d][k] = 0.25 * speed;
            }
        }
        let volume = domain.reference_volume[i] * relative;
        let norm = 1.0 / (volume + TINY);
        let (mut closing, mut width) = ([0.0; 3], [0.0; 3]);
        for d in 0..3 {
            let area = cross(axes[(d + 1) % 3], axes[(d + 2) % 3]);
            width[d] = volume / (dot(area, area) + TINY).sqrt();
            closing[d] = norm * dot(area, relative_speed[d]);
        }
        Strain { volume: relative, length, rate, closing, width }
    }

    /// How smooth the flow is along a direction: one where it is, zero where it is not.
    fn smoothness(here: f64, below: f64, above: f64) -> f64 {
        let norm = 1.0 / (here + TINY);
        let (below, above) = (below * norm, above * norm);
        let mut phi = 0.5 * (below + above);
        if below * LIMITER < phi {
            phi = below * LIMITER;
        }
        if above * LIMITER < phi {
            phi = above * LIMITER;
        }
        if phi < 0.0 {
            phi = 0.0;
        }
        if phi > LARGEST_SLOPE {
            phi = LARGEST_SLOPE;
        }
        phi
    }

    /// The pressure of a gas of this energy.
    fn pressure_of(energy: f64, compression: f64, volume: f64) -> f64 {
        let mut p = GAS * (compression + 1.0) * energy;
        if p.abs() < PRESSURE_CUT || volume >= LARGEST_VOLUME || p < 0.0 {
            p = 0.0;
        }
        p
    }

    fn sound_speed_of(energy: f64, compression: f64, volume: f64, pressure: f64) -> f64 {
        let squared = GAS * energy + volume * volume * (GAS * (compression + 1.0)) * pressure;
        if squared <= 0.1111111e-36 { 0.3333333e-18 } else { squared.sqrt() }
    }

    fn bounded(mut energy: f64) -> f64 {
        if energy.abs() < ENERGY_CUT {
            energy = 0.0;
        }
        if energy < LEAST_ENERGY {
            energy = LEAST_ENERGY;
        }
        energy
    }

    /// The state of the gas in an element.
    #[derive(Clone, Copy, Default)]
    pub struct Gas {
        /// As in the domain.
        pub energy: f64,
        /// As in the domain.
        pub pressure: f64,
        /// As in the domain.
        pub viscosity: f64,
        /// As in the domain.
        pub sound_speed: f64,
    }

    /// Moves the energy of a gas through the step from one relative volume to another: energy, pressure, viscosity and
    /// the speed of sound.
    pub fn gas_in(gas: &Gas, from: f64, volume: f64, linear: f64, quadratic: f64) -> Gas {
        let change = volume - from;
        let v = volume.max(SMALLEST_VOLUME).min(LARGEST_VOLUME);
        let (e, mut p, q) = (gas.energy, gas.pressure, gas.viscosity);
        let mut compression = 1.0 / v - 1.0;
        let mut halfway = 1.0 / (v - change * 0.5) - 1.0;
        if v <= SMALLEST_VOLUME {
            halfway = compression;
        }
        if v >= LARGEST_VOLUME {
            p = 0.0;
            compression = 0.0;
            halfway = 0.0;
        }
        let mut new = e - 0.5 * change * (p + q);
        if new < LEAST_ENERGY {
            new = LEAST_ENERGY;
        }
        let p_half = pressure_of(new, halfway, v);
        let mut q_new = 0.0;
        if change <= 0.0 {
            q_new = sound_speed_of(new, halfway, 1.0 / (1.0 + halfway), p_half) * linear + quadratic;
        }
        new = bounded(new + 0.5 * change * (3.0 * (p + q) - 4.0 * (p_half + q_new)));
        let mut p_new = pressure_of(new, compression, v);
        let mut q_end = 0.0;
        if change <= 0.0 {
            q_end = sound_speed_of(new, compression, v, p_new) * linear + quadratic;
        }
        let work = 7.0 * (p + q) - 8.0 * (p_half + q_new) + (p_new + q_end);
        new = bounded(new - work * change * (1.0 / 6.0));
        p_new = pressure_of(new, compression, v);
        let sound = sound_speed_of(new, compression, v, p_new);
        if change <= 0.0 {
            q_new = sound * linear + quadratic;
            if q_new.abs() < VISCOSITY_CUT {
                q_new = 0.0;
            }
        }
        Gas { energy: new, pressure: p_new, viscosity: q_new, sound_speed: sound }
    }

    /// The gas in an element after its corners have moved. `closing` is that of all elements.
    pub fn gas_after(domain: &Domain, i: usize, strain: &Strain, closing: &[[f64; 3]]) -> Gas {
        let (mut linear, mut quadratic) = (0.0, 0.0);
        if strain.rate <= 0.0 {
            let density = domain.element_mass[i] / (domain.reference_volume[i] * strain.volume);
            for d in 0..3 {
                let [below, above] = domain.neighbours[i][d];
                let from = if below == FREE { 0.0 } else { closing[below][d] };
                let to = if above == FREE { 0.0 } else { closing[above][d] };
                let phi = smoothness(strain.closing[d], from, to);
                let mut speed = strain.closing[d] * strain.width[d];
                if speed > 0.0 {
                    speed = 0.0;
                }
                linear -= LINEAR_VISCOSITY * density * speed * (1.0 - phi);
                quadratic += QUADRATIC_VISCOSITY * density * speed * speed * (1.0 - phi * phi);
            }
        }
        let gas = Gas {
            energy: domain.energy[i],
            pressure: domain.pressure[i],
            viscosity: domain.viscosity[i],
            sound_speed: domain.sound_speed[i],
        };
        gas_in(&gas, domain.volume[i], strain.volume, linear, quadratic)
    }

    /// Moves all nodes for one step.
    pub fn move_nodes(domain: &mut Domain, force: &[[f64; 3]]) {
        for n in 0..domain.position.len() {
            let (place, velocity) = moved(domain, n, &force[n]);
            domain.position[n] = place;
            domain.velocity[n] = velocity;
        }
    }

    /// Stores what became of an element.
    ///
    /// # Panics
    ///
    /// Panics where there is too much viscosity.
    pub fn store(domain: &mut Domain, i: usize, gas: &Gas, volume: f64) {
        assert!(gas.viscosity <= LARGEST_VISCOSITY, "too much viscosity");
        domain.energy[i] = gas.energy;
        domain.pressure[i] = gas.pressure;
        domain.viscosity[i] = gas.viscosity;
        domain.sound_speed[i] = gas.sound_speed;
        domain.volume[i] = kept_volume(volume);
    }

    /// The volume as it is kept: one where it is as good as that.
    pub fn kept_volume(volume: f64) -> f64 {
        if (volume - 1.0).abs() < VOLUME_CUT { 1.0 } else { volume }
    }

    /// How long sound takes to cross an element, and how long its volume takes to change by a tenth.
    pub fn time_bounds(sound_speed: f64, length: f64, rate: f64) -> (f64, f64) {
        if rate == 0.0 {
            return (LONG, LONG);
        }
        let mut squared = sound_speed * sound_speed;
        if rate < 0.0 {
            squared += 64.0 * COURANT * COURANT * length * length * rate * rate;
        }
        (length / squared.sqrt(), LARGEST_CHANGE / (rate.abs() + 1e-20))
    }

    /// Whether the blast has come to its end.
    pub fn is_over(domain: &Domain) -> bool {
        domain.time >= STOP_TIME
    }
}
