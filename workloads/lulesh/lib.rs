//! The Sedov blast of LULESH: shock hydrodynamics on a mesh of hexahedra that moves with the gas.
//!
//! Written from the published description (LLNL-TR-490254 and LLNL-TR-641973), with the formulas and the constants of
//! LULESH 2.0, so that energies agree with it; its notice is in `NOTICE`. The structure is another: the state is one struct of
//! vectors, geometry is written with vectors of three numbers, and each element is computed as a whole. The regions of
//! LULESH, which order work and repeat it, are left out: they change no number.

#![allow(
    clippy::manual_clamp,
    clippy::needless_range_loop,
    reason = "a clamp panics where its limits are wrong, and loops are those of numerical programmers"
)]

pub mod setup;
#[cfg(feature = "gradient")]
use pardiff::differentiate;

/// The state and a step in time.
#[cfg_attr(feature = "gradient", differentiate)]
pub mod blast {
    /// The corners of an element's faces, which one sees in turn from inside.
    const FACES: [[usize; 4]; 6] =
        [[0, 1, 2, 3], [0, 4, 5, 1], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 4, 0], [4, 7, 6, 5]];

    /// For each corner, the corners on whose place the derivative of the volume by its place depends.
    const AROUND: [[usize; 6]; 8] = [
        [1, 2, 3, 4, 5, 7],
        [2, 3, 0, 5, 6, 4],
        [3, 0, 1, 6, 7, 5],
        [0, 1, 2, 7, 4, 6],
        [7, 6, 5, 0, 3, 1],
        [4, 7, 6, 1, 0, 2],
        [5, 4, 7, 2, 1, 3],
        [6, 5, 4, 3, 2, 0],
    ];

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

    /// No neighbour: the face is free. A face in a plane of symmetry has the element itself for its neighbour.
    pub const FREE: usize = usize::MAX;

    const STOP_TIME: f64 = 1e-2;
    const LARGEST_STEP: f64 = 1e-2;
    const LEAST_GROWTH: f64 = 1.1;
    const LARGEST_GROWTH: f64 = 1.2;
    const ENERGY_CUT: f64 = 1e-7;
    const PRESSURE_CUT: f64 = 1e-7;
    const VISCOSITY_CUT: f64 = 1e-7;
    const VOLUME_CUT: f64 = 1e-10;
    const SPEED_CUT: f64 = 1e-7;
    const HOURGLASS_COEFFICIENT: f64 = 3.0;
    const LARGEST_VISCOSITY: f64 = 1e12;
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

    /// The state of the blast. Elements are hexahedra with eight nodes each.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Domain {
        /// Of each node.
        pub position: Vec<[f64; 3]>,
        /// Of each node.
        pub velocity: Vec<[f64; 3]>,
        /// A share of the mass of its elements.
        pub node_mass: Vec<f64>,
        /// The directions in which a node does not move: it is in a plane of symmetry.
        pub held: Vec<[bool; 3]>,
        /// Of each element.
        pub energy: Vec<f64>,
        /// Of each element.
        pub pressure: Vec<f64>,
        /// The artificial viscosity, a pressure as well.
        pub viscosity: Vec<f64>,
        /// Relative to the reference.
        pub volume: Vec<f64>,
        /// Of each element.
        pub sound_speed: Vec<f64>,
        /// At the start.
        pub reference_volume: Vec<f64>,
        /// Of each element.
        pub element_mass: Vec<f64>,
        /// The nodes at its corners.
        pub corners: Vec<[usize; 8]>,
        /// The elements behind its faces, below and above in each direction.
        pub neighbours: Vec<[[usize; 2]; 3]>,
        /// At the end of the last cycle.
        pub time: f64,
        /// Of the last cycle.
        pub time_step: f64,
        /// How long sound takes to cross an element, a bound of the next time step.
        pub courant: f64,
        /// How long a volume takes to change by a tenth, another one.
        pub hydro: f64,
        /// How many there were.
        pub cycle: usize,
    }

    fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
    }

    fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }

    fn scaled(s: f64, a: [f64; 3]) -> [f64; 3] {
        [s * a[0], s * a[1], s * a[2]]
    }

    /// The values of a field at the corners of an element.
    fn gathered(field: &[[f64; 3]], corners: &[usize; 8]) -> [[f64; 3]; 8] {
        let mut all = [[0.0; 3]; 8];
        for c in 0..8 {
            all[c] = field[corners[c]];
        }
        all
    }

    /// The volume of a hexahedron.
    pub(crate) fn volume_of(p: &[[f64; 3]; 8]) -> f64 {
        let a = add(sub(p[3], p[1]), sub(p[7], p[2]));
        let b = add(sub(p[4], p[3]), sub(p[5], p[7]));
        let c = add(sub(p[1], p[4]), sub(p[2], p[5]));
        (dot(a, cross(sub(p[6], p[3]), sub(p[2], p[0])))
            + dot(b, cross(sub(p[6], p[4]), sub(p[7], p[0])))
            + dot(c, cross(sub(p[6], p[1]), sub(p[5], p[0]))))
            / 12.0
    }

    /// The derivatives of the shape functions at the centre, by the first four corners (those of the corners across are the negatives), and
    /// the volume that belongs to them.
    fn shape_derivatives(p: &[[f64; 3]; 8]) -> ([[f64; 3]; 4], f64) {
        let (a, b, c, d) = (sub(p[6], p[0]), sub(p[5], p[3]), sub(p[7], p[1]), sub(p[4], p[2]));
        let xi = scaled(0.125, sub(sub(add(a, b), c), d));
        let eta = scaled(0.125, sub(add(sub(a, b), c), d));
        let zeta = scaled(0.125, add(add(add(a, b), c), d));
        let (by_xi, by_eta, by_zeta) = (cross(eta, zeta), cross(zeta, xi), cross(xi, eta));
        let mut by = [[0.0; 3]; 4];
        for k in 0..3 {
            by[0][k] = -by_xi[k] - by_eta[k] - by_zeta[k];
            by[1][k] = by_xi[k] - by_eta[k] - by_zeta[k];
            by[2][k] = by_xi[k] + by_eta[k] - by_zeta[k];
            by[3][k] = -by_xi[k] + by_eta[k] - by_zeta[k];
        }
        (by, 8.0 * dot(eta, by_eta))
    }

    /// The length that sound has to cross: the volume over the largest face.
    fn characteristic_length(p: &[[f64; 3]; 8], volume: f64) -> f64 {
        let mut largest = 0.0;
        for face in [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]] {
            let (a, b) = (sub(p[face[2]], p[face[0]]), sub(p[face[3]], p[face[1]]));
            let (f, g) = (sub(a, b), add(a, b));
            let area = dot(f, f) * dot(g, g) - dot(f, g) * dot(f, g);
            if area > largest {
                largest = area;
            }
        }
        4.0 * volume / largest.sqrt()
    }

    /// The size of the next time step, and the time after it.
    fn advance_time(domain: &mut Domain) {
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

    /// The forces on the nodes: of pressure and viscosity on the faces, and against hourglass modes.
    fn forces(domain: &Domain) -> Vec<[f64; 3]> {
        let mut force = vec![[0.0; 3]; domain.position.len()];
        for i in 0..domain.corners.len() {
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

            let mut by_place = [[0.0; 3]; 8];
            for c in 0..8 {
                let [a, b, d, e, f, g] = AROUND[c];
                let first = cross(add(p[b], p[d]), add(p[a], p[b]));
                let second = cross(add(p[a], p[f]), add(p[e], p[f]));
                let third = cross(add(p[e], p[g]), add(p[d], p[g]));
                by_place[c] = scaled(1.0 / 12.0, add(add(first, second), third));
            }
            assert!(domain.volume[i] > 0.0, "an element with no volume");
            let volume = domain.reference_volume[i] * domain.volume[i];
            let coefficient = -HOURGLASS_COEFFICIENT * 0.01 * domain.sound_speed[i] * domain.element_mass[i]
                / volume.cbrt();
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
            for c in 0..8 {
                for k in 0..3 {
                    force[corners[c]][k] += of_corner[c][k];
                }
            }
        }
        force
    }

    /// Moves the nodes.
    fn move_nodes(domain: &mut Domain, force: &[[f64; 3]]) {
        let dt = domain.time_step;
        for n in 0..domain.position.len() {
            for k in 0..3 {
                let acceleration = if domain.held[n][k] { 0.0 } else { force[n][k] / domain.node_mass[n] };
                let mut v = domain.velocity[n][k] + acceleration * dt;
                if v.abs() < SPEED_CUT {
                    v = 0.0;
                }
                domain.velocity[n][k] = v;
                domain.position[n][k] += v * dt;
            }
        }
    }

    /// What happened to an element.
    struct Strain {
        /// Its volume, relative to the reference.
        volume: f64,
        length: f64,
        /// The rate of the volume.
        rate: f64,
        /// By direction: how fast the faces come together, and how far they are apart.
        closing: [f64; 3],
        width: [f64; 3],
    }

    fn strain(domain: &Domain, i: usize) -> Strain {
        let corners = domain.corners[i];
        let p = gathered(&domain.position, &corners);
        let v = gathered(&domain.velocity, &corners);
        let volume = volume_of(&p);
        let relative = volume / domain.reference_volume[i];
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

    /// Moves the energy of the gas through the step: energy, pressure, viscosity and the speed of sound.
    fn gas(domain: &mut Domain, i: usize, volume: f64, linear: f64, quadratic: f64) {
        let change = volume - domain.volume[i];
        let v = volume.max(SMALLEST_VOLUME).min(LARGEST_VOLUME);
        let (e, mut p, q) = (domain.energy[i], domain.pressure[i], domain.viscosity[i]);
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
        domain.energy[i] = new;
        domain.pressure[i] = p_new;
        domain.viscosity[i] = q_new;
        domain.sound_speed[i] = sound;
    }

    /// Lets the elements follow their nodes, and bounds the next time step.
    fn update_elements(domain: &mut Domain) {
        let n = domain.corners.len();
        let (mut volume, mut length, mut rate) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let (mut closing, mut width) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
        for i in 0..n {
            let strain = strain(domain, i);
            assert!(strain.volume > 0.0, "an element with no volume");
            volume[i] = strain.volume;
            length[i] = strain.length;
            rate[i] = strain.rate;
            closing[i] = strain.closing;
            width[i] = strain.width;
        }
        for i in 0..n {
            let (mut linear, mut quadratic) = (0.0, 0.0);
            if rate[i] <= 0.0 {
                let density = domain.element_mass[i] / (domain.reference_volume[i] * volume[i]);
                for d in 0..3 {
                    let [below, above] = domain.neighbours[i][d];
                    let from = if below == FREE { 0.0 } else { closing[below][d] };
                    let to = if above == FREE { 0.0 } else { closing[above][d] };
                    let phi = smoothness(closing[i][d], from, to);
                    let mut speed = closing[i][d] * width[i][d];
                    if speed > 0.0 {
                        speed = 0.0;
                    }
                    linear -= LINEAR_VISCOSITY * density * speed * (1.0 - phi);
                    quadratic += QUADRATIC_VISCOSITY * density * speed * speed * (1.0 - phi * phi);
                }
            }
            gas(domain, i, volume[i], linear, quadratic);
        }
        for i in 0..n {
            assert!(domain.viscosity[i] <= LARGEST_VISCOSITY, "too much viscosity");
        }
        for i in 0..n {
            let v = volume[i];
            domain.volume[i] = if (v - 1.0).abs() < VOLUME_CUT { 1.0 } else { v };
        }
        let (mut courant, mut hydro) = (1e20, 1e20);
        for i in 0..n {
            if rate[i] != 0.0 {
                let mut squared = domain.sound_speed[i] * domain.sound_speed[i];
                if rate[i] < 0.0 {
                    squared += 64.0 * COURANT * COURANT * length[i] * length[i] * rate[i] * rate[i];
                }
                let crossing = length[i] / squared.sqrt();
                if crossing < courant {
                    courant = crossing;
                }
                let changing = LARGEST_CHANGE / (rate[i].abs() + 1e-20);
                if changing < hydro {
                    hydro = changing;
                }
            }
        }
        domain.courant = courant;
        domain.hydro = hydro;
    }

    /// One cycle.
    ///
    /// # Panics
    ///
    /// Panics where an element has no volume left, or too much viscosity.
    pub fn step(domain: &mut Domain) {
        advance_time(domain);
        let force = forces(domain);
        move_nodes(domain, &force);
        update_elements(domain);
    }

    /// Whether the blast has come to its end.
    pub(crate) fn is_over(domain: &Domain) -> bool {
        domain.time >= STOP_TIME
    }
}
