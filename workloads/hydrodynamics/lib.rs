//! Explicit hydrodynamics on a moving mesh of hexahedra: a long program, whose gradient is a measure of what size costs.
//!
//! Staggered in the manner of LULESH and its kin: nodes carry positions and velocities, elements carry energy, pressure and
//! volume. A step moves the nodes by the forces of the elements, then the elements by what happened to their volumes. The
//! program is one module because the attribute sees one item: it is longer than other files here on purpose.
#![allow(clippy::needless_range_loop, clippy::too_many_arguments)]

#[cfg(feature = "gradient")]
pub mod mesh;
#[cfg(feature = "gradient")]
use pardiff::differentiate;

/// A blast in a body of several materials.
#[cfg(feature = "gradient")]
#[differentiate]
pub mod hydrodynamics {
    /// The corners of the six faces, which one sees in turn from outside against the clock: -x, +x, -y, +y, -z, +z.
    const FACES: [[usize; 4]; 6] =
        [[0, 4, 7, 3], [1, 2, 6, 5], [0, 1, 5, 4], [3, 7, 6, 2], [0, 3, 2, 1], [4, 5, 6, 7]];

    /// The four ways in which corners can move without a change of the mean strain.
    const HOURGLASS: [[f64; 8]; 4] = [
        [1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0],
        [1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0],
        [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0],
        [-1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0],
    ];

    /// No neighbour: the face is free. A face in a plane of symmetry has the element itself for its neighbour.
    pub const FREE: u32 = u32::MAX;

    const HOURGLASS_COEFFICIENT: f64 = 0.03;
    const LINEAR_VISCOSITY: f64 = 0.5;
    const QUADRATIC_VISCOSITY: f64 = 2.0 / 3.0;
    const LIMIT: f64 = 2.0;
    const SLOWEST_SOUND: f64 = 1e-9;
    const SMALLEST_PRESSURE: f64 = 1e-7;
    const SMALLEST_SPEED: f64 = 1e-9;
    const SMALLEST_VOLUME: f64 = 1e-3;
    const LARGEST_CHANGE: f64 = 0.1;
    const GROWTH: f64 = 1.1;

    /// How nodes and elements hang together.
    struct Mesh<'a> {
        /// The nodes of each element.
        corners: &'a [[u32; 8]],
        /// Where the corners of each node begin in `corners_of`.
        corners_start: &'a [u32],
        /// Corners of elements, 8 times the element and the corner in it.
        corners_of: &'a [u32],
        /// The elements behind the faces.
        neighbours: &'a [[u32; 6]],
    }

    /// The elements by their material.
    struct Regions<'a> {
        /// Where the elements of each region begin in `elements`.
        start: &'a [u32],
        elements: &'a [u32],
        /// How often the equation of state is iterated.
        repeats: &'a [u32],
        /// The ratio of the heats.
        gamma: &'a [f64],
        /// Pressure by compression alone.
        stiffness: &'a [f64],
    }

    fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }

    fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    /// What the corners of an element have of a vector.
    fn gather(nodes: &[u32; 8], x: &[f64], y: &[f64], z: &[f64]) -> [[f64; 3]; 8] {
        let mut at = [[0.0; 3]; 8];
        for c in 0..8 {
            let n = nodes[c] as usize;
            at[c] = [x[n], y[n], z[n]];
        }
        at
    }

    /// The derivative of the volume of an element by its corners. A face adds the mean of the two ways to cut it into triangles.
    fn volume_gradient(at: &[[f64; 3]; 8]) -> [[f64; 3]; 8] {
        let mut gradient = [[0.0; 3]; 8];
        for face in 0..6 {
            for turn in 0..4 {
                // the corner itself, and the others as they follow
                let k = FACES[face][turn];
                let b = sub(at[FACES[face][(turn + 1) % 4]], at[0]);
                let c = sub(at[FACES[face][(turn + 2) % 4]], at[0]);
                let d = sub(at[FACES[face][(turn + 3) % 4]], at[0]);
                let (bc, cd, bd) = (cross(b, c), cross(c, d), cross(b, d));
                for axis in 0..3 {
                    gradient[k][axis] += (bc[axis] + cd[axis] + bd[axis]) / 12.0;
                }
            }
        }
        gradient
    }

    /// The volume of an element: a third of the flux of the position through its faces.
    fn volume(at: &[[f64; 3]; 8]) -> f64 {
        let gradient = volume_gradient(at);
        let mut flux = 0.0;
        for c in 0..8 {
            flux += dot(gradient[c], sub(at[c], at[0]));
        }
        flux / 3.0
    }

    /// The square of the area of a face.
    fn face_area_squared(at: &[[f64; 3]; 8], face: usize) -> f64 {
        let [a, b, c, d] = FACES[face];
        let normal = cross(sub(at[c], at[a]), sub(at[d], at[b]));
        0.25 * dot(normal, normal)
    }

    /// The least distance that sound must go to leave an element.
    fn characteristic_length(at: &[[f64; 3]; 8], volume: f64) -> f64 {
        let mut largest = 0.0;
        for face in 0..6 {
            let area = face_area_squared(at, face);
            if area > largest {
                largest = area;
            }
        }
        volume / largest.sqrt()
    }

    /// The stretching of an element along the axes.
    fn stretching(gradient: &[[f64; 3]; 8], velocity: &[[f64; 3]; 8], volume: f64) -> [f64; 3] {
        let mut rate = [0.0; 3];
        for c in 0..8 {
            for axis in 0..3 {
                rate[axis] += gradient[c][axis] * velocity[c][axis];
            }
        }
        [rate[0] / volume, rate[1] / volume, rate[2] / volume]
    }

    /// The forces of pressure and viscosity on the corners of all elements.
    fn stress_forces(
        mesh: &Mesh,
        x: &[f64],
        y: &[f64],
        z: &[f64],
        p: &[f64],
        q: &[f64],
        force_x: &mut [f64],
        force_y: &mut [f64],
        force_z: &mut [f64],
    ) {
        for e in 0..mesh.corners.len() {
            let at = gather(&mesh.corners[e], x, y, z);
            let gradient = volume_gradient(&at);
            let push = p[e] + q[e];
            for c in 0..8 {
                force_x[8 * e + c] = push * gradient[c][0];
                force_y[8 * e + c] = push * gradient[c][1];
                force_z[8 * e + c] = push * gradient[c][2];
            }
        }
    }

    /// How strongly one corner takes part in a way of moving that does not change the mean strain (Flanagan, Belytschko).
    fn hourglass_shape(
        at: &[[f64; 3]; 8],
        gradient: &[[f64; 3]; 8],
        volume: f64,
        base: &[f64; 8],
    ) -> [f64; 8] {
        let mut moment = [0.0; 3];
        for c in 0..8 {
            for axis in 0..3 {
                moment[axis] += base[c] * (at[c][axis] - at[0][axis]);
            }
        }
        let mut shape = [0.0; 8];
        for c in 0..8 {
            shape[c] = base[c] - dot(gradient[c], moment) / volume;
        }
        shape
    }

    /// The forces against hourglasses, added to those of the stress.
    fn hourglass_forces(
        mesh: &Mesh,
        x: &[f64],
        y: &[f64],
        z: &[f64],
        vx: &[f64],
        vy: &[f64],
        vz: &[f64],
        sound: &[f64],
        mass: &[f64],
        force_x: &mut [f64],
        force_y: &mut [f64],
        force_z: &mut [f64],
    ) {
        for e in 0..mesh.corners.len() {
            let at = gather(&mesh.corners[e], x, y, z);
            let velocity = gather(&mesh.corners[e], vx, vy, vz);
            let gradient = volume_gradient(&at);
            let volume = volume(&at);
            let damping = HOURGLASS_COEFFICIENT * sound[e] * mass[e] / volume.cbrt();
            for mode in 0..4 {
                let shape = hourglass_shape(&at, &gradient, volume, &HOURGLASS[mode]);
                let mut speed = [0.0; 3];
                for c in 0..8 {
                    for axis in 0..3 {
                        speed[axis] += shape[c] * velocity[c][axis];
                    }
                }
                for c in 0..8 {
                    force_x[8 * e + c] -= damping * shape[c] * speed[0];
                    force_y[8 * e + c] -= damping * shape[c] * speed[1];
                    force_z[8 * e + c] -= damping * shape[c] * speed[2];
                }
            }
        }
    }

    /// The acceleration of every node along one axis.
    fn accelerate(mesh: &Mesh, force: &[f64], mass: &[f64], acceleration: &mut [f64]) {
        for n in 0..mass.len() {
            let mut sum = 0.0;
            for k in mesh.corners_start[n] as usize..mesh.corners_start[n + 1] as usize {
                sum += force[mesh.corners_of[k] as usize];
            }
            acceleration[n] = sum / mass[n];
        }
    }

    /// Nodes in a plane of symmetry stay in it.
    fn hold(nodes: &[u32], acceleration: &mut [f64]) {
        for &n in nodes {
            acceleration[n as usize] = 0.0;
        }
    }

    /// Velocities and positions one step later, along one axis.
    fn advance(acceleration: &[f64], step: f64, velocity: &mut [f64], position: &mut [f64]) {
        for n in 0..position.len() {
            let mut v = velocity[n] + step * acceleration[n];
            if v.abs() < SMALLEST_SPEED {
                v = 0.0;
            }
            velocity[n] = v;
            position[n] += step * v;
        }
    }

    /// Volumes, lengths and rates of the elements after the nodes moved.
    fn kinematics(
        mesh: &Mesh,
        x: &[f64],
        y: &[f64],
        z: &[f64],
        vx: &[f64],
        vy: &[f64],
        vz: &[f64],
        reference: &[f64],
        relative: &[f64],
        step: f64,
        new_relative: &mut [f64],
        change: &mut [f64],
        length: &mut [f64],
        rate: &mut [f64],
    ) {
        for e in 0..mesh.corners.len() {
            let mut at = gather(&mesh.corners[e], x, y, z);
            let velocity = gather(&mesh.corners[e], vx, vy, vz);
            let now = volume(&at);
            new_relative[e] = now / reference[e];
            change[e] = new_relative[e] - relative[e];
            length[e] = characteristic_length(&at, now);
            // the rates at the middle of the step
            for c in 0..8 {
                for axis in 0..3 {
                    at[c][axis] -= 0.5 * step * velocity[c][axis];
                }
            }
            let gradient = volume_gradient(&at);
            let stretching = stretching(&gradient, &velocity, volume(&at));
            rate[e] = stretching[0] + stretching[1] + stretching[2];
        }
    }

    /// The difference between two opposite faces, of the mean over their corners.
    fn across(at: &[[f64; 3]; 8], direction: usize) -> [f64; 3] {
        let (low, high) = (FACES[2 * direction], FACES[2 * direction + 1]);
        let mut difference = [0.0; 3];
        for k in 0..4 {
            for axis in 0..3 {
                difference[axis] += 0.25 * (at[high[k]][axis] - at[low[k]][axis]);
            }
        }
        difference
    }

    /// How fast each element is stretched, and how wide it is, in the three directions of the mesh.
    fn velocity_slopes(
        mesh: &Mesh,
        x: &[f64],
        y: &[f64],
        z: &[f64],
        vx: &[f64],
        vy: &[f64],
        vz: &[f64],
        slope: &mut [[f64; 3]],
        width: &mut [[f64; 3]],
    ) {
        for e in 0..mesh.corners.len() {
            let at = gather(&mesh.corners[e], x, y, z);
            let velocity = gather(&mesh.corners[e], vx, vy, vz);
            let volume = volume(&at);
            for direction in 0..3 {
                let normal = cross(across(&at, (direction + 1) % 3), across(&at, (direction + 2) % 3));
                slope[e][direction] = dot(normal, across(&velocity, direction)) / volume;
                width[e][direction] = volume / dot(normal, normal).sqrt();
            }
        }
    }

    /// The slope in the element behind a face, over the own one.
    fn ratio(mesh: &Mesh, slope: &[[f64; 3]], e: usize, face: usize) -> f64 {
        let neighbour = mesh.neighbours[e][face];
        if neighbour == FREE {
            return 0.0;
        }
        slope[neighbour as usize][face / 2] / (slope[e][face / 2] - 1e-18)
    }

    /// How smooth the motion is: 1 where no viscosity is wanted.
    fn limiter(before: f64, after: f64) -> f64 {
        (0.5 * (before + after)).min(LIMIT * before).min(LIMIT * after).clamp(0.0, 1.0)
    }

    /// The viscosity of the elements of one region: what is linear in the jumps of the velocity, and what is quadratic in them.
    fn viscosity(
        mesh: &Mesh,
        elements: &[u32],
        slope: &[[f64; 3]],
        width: &[[f64; 3]],
        rate: &[f64],
        mass: &[f64],
        reference: &[f64],
        relative: &[f64],
        linear: &mut [f64],
        quadratic: &mut [f64],
    ) {
        for &element in elements {
            let e = element as usize;
            let mut first = 0.0;
            let mut second = 0.0;
            if rate[e] < 0.0 {
                let density = mass[e] / (reference[e] * relative[e]);
                for direction in 0..3 {
                    let before = ratio(mesh, slope, e, 2 * direction);
                    let after = ratio(mesh, slope, e, 2 * direction + 1);
                    let smooth = limiter(before, after);
                    let jump = (slope[e][direction] * width[e][direction]).min(0.0);
                    first -= LINEAR_VISCOSITY * density * jump * (1.0 - smooth);
                    second += QUADRATIC_VISCOSITY * density * jump * jump * (1.0 - smooth * smooth);
                }
            }
            linear[e] = first;
            quadratic[e] = second;
        }
    }

    /// The pressure of a material.
    fn pressure(gamma: f64, stiffness: f64, energy: f64, compression: f64) -> f64 {
        let mut p = (gamma - 1.0) * (1.0 + compression) * energy;
        if compression > 0.0 {
            p += stiffness * compression;
        }
        if p.abs() < SMALLEST_PRESSURE { 0.0 } else { p }
    }

    /// The speed of sound in a material.
    fn sound_speed(gamma: f64, stiffness: f64, p: f64, density: f64) -> f64 {
        let square = (gamma * p + stiffness) / density;
        if square < SLOWEST_SOUND * SLOWEST_SOUND { SLOWEST_SOUND } else { square.sqrt() }
    }

    /// Energy, pressure, viscosity and sound of the elements of one region after their volumes changed.
    ///
    /// The energy that pressure and viscosity take depends on those at the end of the step: they are found by iteration.
    fn equation_of_state(
        regions: &Regions,
        region: usize,
        mass: &[f64],
        reference: &[f64],
        relative: &[f64],
        change: &[f64],
        linear: &[f64],
        quadratic: &[f64],
        energy: &mut [f64],
        p: &mut [f64],
        q: &mut [f64],
        sound: &mut [f64],
    ) {
        let elements = &regions.elements[regions.start[region] as usize..regions.start[region + 1] as usize];
        let (gamma, stiffness) = (regions.gamma[region], regions.stiffness[region]);
        let n = elements.len();
        let mut compression = vec![0.0; n];
        let mut density = vec![0.0; n];
        let mut work = vec![0.0; n];
        let mut old_energy = vec![0.0; n];
        let mut old_push = vec![0.0; n];
        let mut new_energy = vec![0.0; n];
        let mut new_p = vec![0.0; n];
        let mut new_q = vec![0.0; n];
        let mut new_sound = vec![0.0; n];
        for k in 0..n {
            let e = elements[k] as usize;
            compression[k] = 1.0 / relative[e] - 1.0;
            density[k] = mass[e] / (reference[e] * relative[e]);
            work[k] = 0.5 * change[e];
        }
        for k in 0..n {
            let e = elements[k] as usize;
            old_energy[k] = energy[e];
            old_push[k] = p[e] + q[e];
            new_sound[k] = sound[e];
        }
        for k in 0..n {
            new_energy[k] = (old_energy[k] - 2.0 * work[k] * old_push[k]).max(0.0);
        }
        for _ in 0..regions.repeats[region] {
            for k in 0..n {
                new_p[k] = pressure(gamma, stiffness, new_energy[k], compression[k]);
                new_sound[k] = sound_speed(gamma, stiffness, new_p[k], density[k]);
            }
            for k in 0..n {
                let e = elements[k] as usize;
                new_q[k] = linear[e] * new_sound[k] + quadratic[e];
            }
            for k in 0..n {
                let taken = work[k] * (old_push[k] + new_p[k] + new_q[k]);
                new_energy[k] = (old_energy[k] - taken).max(0.0);
            }
        }
        for k in 0..n {
            let e = elements[k] as usize;
            energy[e] = new_energy[k];
            p[e] = pressure(gamma, stiffness, new_energy[k], compression[k]);
            q[e] = new_q[k];
            sound[e] = sound_speed(gamma, stiffness, p[e], density[k]);
        }
    }

    /// Volumes as the next step begins with them.
    fn update_volumes(new_relative: &[f64], relative: &mut [f64]) {
        for e in 0..relative.len() {
            relative[e] = if (new_relative[e] - 1.0).abs() < 1e-12 { 1.0 } else { new_relative[e] };
            assert!(relative[e] > SMALLEST_VOLUME, "an element is turned inside out");
        }
    }

    /// The longest step in which sound does not leave an element of a region (Courant, Friedrichs, Lewy).
    fn sound_limit(elements: &[u32], sound: &[f64], length: &[f64], rate: &[f64]) -> f64 {
        let mut limit = f64::INFINITY;
        for &element in elements {
            let e = element as usize;
            let mut square = sound[e] * sound[e];
            if rate[e] < 0.0 {
                let compressed = 4.0 * QUADRATIC_VISCOSITY * length[e] * rate[e];
                square += compressed * compressed;
            }
            if rate[e] != 0.0 {
                limit = limit.min(length[e] / square.sqrt());
            }
        }
        limit
    }

    /// The longest step in which no volume of a region changes by too much.
    fn volume_limit(elements: &[u32], rate: &[f64]) -> f64 {
        let mut limit = f64::INFINITY;
        for &element in elements {
            let e = element as usize;
            if rate[e] != 0.0 {
                limit = limit.min(LARGEST_CHANGE / rate[e].abs());
            }
        }
        limit
    }

    /// The next step: as long as sound and volumes allow, and not much longer than the last one.
    fn next_step(
        regions: &Regions,
        sound: &[f64],
        length: &[f64],
        rate: &[f64],
        step: f64,
        longest: f64,
    ) -> f64 {
        let mut limit = longest.min(GROWTH * step);
        for region in 0..regions.start.len() - 1 {
            let elements =
                &regions.elements[regions.start[region] as usize..regions.start[region + 1] as usize];
            limit = limit.min(0.5 * sound_limit(elements, sound, length, rate));
            limit = limit.min(volume_limit(elements, rate));
        }
        limit
    }

    /// Masses of elements at the density 1, and of nodes: an eighth of those around.
    fn masses(mesh: &Mesh, x: &[f64], y: &[f64], z: &[f64], mass: &mut [f64], node_mass: &mut [f64]) {
        for e in 0..mass.len() {
            mass[e] = volume(&gather(&mesh.corners[e], x, y, z));
        }
        for n in 0..node_mass.len() {
            let mut sum = 0.0;
            for k in mesh.corners_start[n] as usize..mesh.corners_start[n + 1] as usize {
                sum += 0.125 * mass[mesh.corners_of[k] as usize / 8];
            }
            node_mass[n] = sum;
        }
    }

    /// Half the sum of the squared differences of the energies of all elements from measured ones, after a number of steps.
    ///
    /// The nodes begin at `x0`, `y0`, `z0`, at rest. `held_x` has the nodes in the plane of symmetry across the x axis. The first
    /// step is `first_step`, none is over `longest`.
    #[differentiate(wrt(energy0, gamma, stiffness))]
    pub fn blast(
        energy0: &[f64],
        gamma: &[f64],
        stiffness: &[f64],
        x0: &[f64],
        y0: &[f64],
        z0: &[f64],
        measured: &[f64],
        corners: &[[u32; 8]],
        corners_start: &[u32],
        corners_of: &[u32],
        neighbours: &[[u32; 6]],
        region_start: &[u32],
        region_elements: &[u32],
        repeats: &[u32],
        held_x: &[u32],
        held_y: &[u32],
        held_z: &[u32],
        first_step: f64,
        longest: f64,
        steps: usize,
    ) -> f64 {
        let mesh = Mesh { corners, corners_start, corners_of, neighbours };
        let regions = Regions { start: region_start, elements: region_elements, repeats, gamma, stiffness };
        let (nodes, elements) = (x0.len(), corners.len());

        let (mut x, mut y, mut z) = (x0.to_vec(), y0.to_vec(), z0.to_vec());
        let (mut vx, mut vy, mut vz) = (vec![0.0; nodes], vec![0.0; nodes], vec![0.0; nodes]);
        let (mut ax, mut ay, mut az) = (vec![0.0; nodes], vec![0.0; nodes], vec![0.0; nodes]);
        let mut force_x = vec![0.0; 8 * elements];
        let mut force_y = vec![0.0; 8 * elements];
        let mut force_z = vec![0.0; 8 * elements];
        let mut node_mass = vec![0.0; nodes];
        let mut mass = vec![0.0; elements];
        masses(&mesh, &x, &y, &z, &mut mass, &mut node_mass);
        let reference = mass.clone();

        let mut energy = energy0.to_vec();
        let mut p = vec![0.0; elements];
        let mut q = vec![0.0; elements];
        let mut sound = vec![0.0; elements];
        let mut relative = vec![1.0; elements];
        let mut new_relative = vec![1.0; elements];
        let mut change = vec![0.0; elements];
        let mut length = vec![0.0; elements];
        let mut rate = vec![0.0; elements];
        let mut slope = vec![[0.0; 3]; elements];
        let mut width = vec![[0.0; 3]; elements];
        let mut linear = vec![0.0; elements];
        let mut quadratic = vec![0.0; elements];
        for region in 0..gamma.len() {
            for k in region_start[region] as usize..region_start[region + 1] as usize {
                let e = region_elements[k] as usize;
                p[e] = pressure(gamma[region], stiffness[region], energy[e], 0.0);
                sound[e] = sound_speed(gamma[region], stiffness[region], p[e], 1.0);
            }
        }

        let mut step = first_step;
        for _ in 0..steps {
            stress_forces(&mesh, &x, &y, &z, &p, &q, &mut force_x, &mut force_y, &mut force_z);
            hourglass_forces(
                &mesh,
                &x,
                &y,
                &z,
                &vx,
                &vy,
                &vz,
                &sound,
                &mass,
                &mut force_x,
                &mut force_y,
                &mut force_z,
            );
            accelerate(&mesh, &force_x, &node_mass, &mut ax);
            accelerate(&mesh, &force_y, &node_mass, &mut ay);
            accelerate(&mesh, &force_z, &node_mass, &mut az);
            hold(held_x, &mut ax);
            hold(held_y, &mut ay);
            hold(held_z, &mut az);
            advance(&ax, step, &mut vx, &mut x);
            advance(&ay, step, &mut vy, &mut y);
            advance(&az, step, &mut vz, &mut z);

            kinematics(
                &mesh,
                &x,
                &y,
                &z,
                &vx,
                &vy,
                &vz,
                &reference,
                &relative,
                step,
                &mut new_relative,
                &mut change,
                &mut length,
                &mut rate,
            );
            velocity_slopes(&mesh, &x, &y, &z, &vx, &vy, &vz, &mut slope, &mut width);
            for region in 0..gamma.len() {
                let elements =
                    &region_elements[region_start[region] as usize..region_start[region + 1] as usize];
                viscosity(
                    &mesh,
                    elements,
                    &slope,
                    &width,
                    &rate,
                    &mass,
                    &reference,
                    &new_relative,
                    &mut linear,
                    &mut quadratic,
                );
                equation_of_state(
                    &regions,
                    region,
                    &mass,
                    &reference,
                    &new_relative,
                    &change,
                    &linear,
                    &quadratic,
                    &mut energy,
                    &mut p,
                    &mut q,
                    &mut sound,
                );
            }
            update_volumes(&new_relative, &mut relative);
            step = next_step(&regions, &sound, &length, &rate, step, longest);
        }

        let mut loss = 0.0;
        for e in 0..elements {
            let difference = energy[e] - measured[e];
            loss += 0.5 * difference * difference;
        }
        loss
    }
}
