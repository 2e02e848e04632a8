//! Structs of structs: arms, particles, poses, meshes, lattices.

use crate::rayon_iterators::on_threads;
use pardiff::differentiate;
use pardiff_programs::{check, dot, positive, random};

/// Robot arm, nested structs.
#[differentiate]
mod robot {
    #[derive(Clone, Copy)]
    pub struct Link {
        pub length: f64,
        pub mass: f64,
    }
    #[derive(Clone, Copy)]
    pub struct Joint {
        pub angle: f64,
        pub link: Link,
    }
    pub struct Arm {
        pub joints: [Joint; 3],
        pub base: [f64; 2],
    }
    const MAX: usize = 3;
    impl Link {
        const REFERENCE: Link = Link { length: 1.0, mass: 0.5 };
        fn weight(&self) -> f64 {
            self.mass * 9.81
        }
        fn relative(&self) -> f64 {
            self.length / Self::REFERENCE.length + self.mass / Link::REFERENCE.mass
        }
    }
    impl Arm {
        fn tip(&self) -> (f64, f64) {
            let (mut x, mut y) = (self.base[0], self.base[1]);
            let mut theta = 0.0;
            for joint in &self.joints {
                theta += joint.angle;
                x += joint.link.length * theta.cos();
                y += joint.link.length * theta.sin();
            }
            (x, y)
        }
        fn potential(&self) -> f64 {
            let mut h = self.base[1];
            let mut theta = 0.0;
            let mut e = 0.0;
            for j in 0..MAX {
                let Joint { angle, link } = self.joints[j];
                theta += angle;
                e += link.weight() * (h + 0.5 * link.length * theta.sin());
                h += link.length * theta.sin();
            }
            e
        }
    }
    pub fn objective(arm: &Arm, target: [f64; 2], weight: f64) -> f64 {
        let (x, y) = arm.tip();
        (x - target[0]).hypot(y - target[1]) + weight * arm.potential() + arm.joints[0].link.relative()
    }
}

#[test]
fn gradient_of_robot() {
    use robot::*;
    let v = positive(1, 11);
    let arm = |v: &[f64]| Arm {
        joints: std::array::from_fn(|i| Joint {
            angle: v[3 * i],
            link: Link { length: v[3 * i + 1], mass: v[3 * i + 2] },
        }),
        base: [v[9], v[10]],
    };
    let (_, g) = objective::gradient(&arm(&v), [0.5, 1.2], 0.1);
    let f: Vec<f64> = g
        .arm
        .joints
        .iter()
        .flat_map(|j| [j.angle, j.link.length, j.link.mass])
        .chain([g.arm.base[0], g.arm.base[1]])
        .collect();
    check(|v| objective(&arm(&v[0]), [0.5, 1.2], 0.1), &[&v], &[&f]);
}

/// Particles with rayon par_iter_mut and helper methods returning struct; builder style self by value.
#[differentiate]
mod particles {
    use rayon::prelude::*;
    use std::ops::{Add, AddAssign, Mul, Sub};
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Vec2 {
        pub x: f64,
        pub y: f64,
    }
    impl Add for Vec2 {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            Self { x: self.x + o.x, y: self.y + o.y }
        }
    }
    impl Sub for Vec2 {
        type Output = Self;
        fn sub(self, o: Self) -> Self {
            Self { x: self.x - o.x, y: self.y - o.y }
        }
    }
    impl Mul<f64> for Vec2 {
        type Output = Self;
        fn mul(self, s: f64) -> Self {
            Self { x: self.x * s, y: self.y * s }
        }
    }
    impl AddAssign for Vec2 {
        fn add_assign(&mut self, o: Self) {
            self.x += o.x;
            self.y += o.y;
        }
    }
    impl Vec2 {
        pub const ZERO: Self = Self { x: 0.0, y: 0.0 };
        pub fn len2(self) -> f64 {
            self.x * self.x + self.y * self.y
        }
        pub fn with_x(mut self, x: f64) -> Self {
            self.x = x;
            self
        }
    }
    #[derive(Clone, Copy)]
    pub struct Particle {
        pub pos: Vec2,
        pub vel: Vec2,
        pub mass: f64,
    }
    #[derive(Clone, Copy)]
    pub struct Settings {
        pub dt: f64,
        pub steps: usize,
        pub softening: f64,
    }
    impl Particle {
        fn force(&self, others: &[Particle], eps: f64) -> Vec2 {
            let mut f = Vec2::ZERO;
            for o in others {
                let d = o.pos - self.pos;
                let r2 = d.len2() + eps * eps;
                f += d * (o.mass / (r2 * r2.sqrt()));
            }
            f
        }
        fn kick(&mut self, f: Vec2, dt: f64) {
            self.vel += f * dt;
        }
        fn drift(&mut self, dt: f64) {
            self.pos = self.pos + self.vel * dt;
        }
    }
    pub fn simulate(ps: &mut [Particle], set: &Settings) -> f64 {
        let n = ps.len();
        let mut forces = vec![Vec2::ZERO; n];
        for _ in 0..set.steps {
            forces.par_iter_mut().enumerate().for_each(|(i, f)| *f = ps[i].force(ps, set.softening));
            ps.par_iter_mut().zip(&forces).for_each(|(p, f)| {
                p.kick(*f, set.dt);
                p.drift(set.dt);
            });
        }
        ps.iter().map(|p| 0.5 * p.mass * p.vel.len2()).sum::<f64>() + ps[0].pos.with_x(2.0).len2()
    }
}

#[test]
fn gradient_of_particles() {
    use particles::*;
    let mk = |v: &[f64]| {
        v.chunks(5)
            .map(|c| Particle {
                pos: Vec2 { x: c[0], y: c[1] },
                vel: Vec2 { x: c[2], y: c[3] },
                mass: 1.5 + c[4],
            })
            .collect::<Vec<_>>()
    };
    let flat = |p: &[Particle]| {
        p.iter().flat_map(|c| [c.pos.x, c.pos.y, c.vel.x, c.vel.y, c.mass]).collect::<Vec<_>>()
    };
    let set = |v: &[f64], steps| Settings { dt: v[0], softening: v[1], steps };
    let x = random(1, 20);
    let mut p = mk(&x);
    let mut d = mk(&vec![0.0; 20]);
    for p in &mut d {
        p.mass = 0.0;
    }
    let mut ds = set(&[0.0, 0.0], 0);
    simulate::grad(&mut p, &mut d, &set(&[0.05, 0.3], 3), &mut ds);
    check(
        |v| simulate(&mut mk(&v[0]), &set(&v[1], 3)),
        &[&x, &[0.05, 0.3]],
        &[&flat(&d), &[ds.dt, ds.softening]],
    );
    on_threads(|| {
        let x = random(1, 1500);
        let mut p = mk(&x);
        let mut d = mk(&vec![0.0; 1500]);
        for p in &mut d {
            p.mass = 0.0;
        }
        let mut ds = set(&[0.0, 0.0], 0);
        let e = simulate::grad(&mut p, &mut d, &set(&[0.05, 0.3], 2), &mut ds);
        [vec![e, ds.dt, ds.softening], flat(&d)].concat()
    });
}

/// Rotations by quaternions and poses: tuple structs, structs in structs, and an alias of an array.
#[differentiate]
mod geometry {
    #[derive(Clone, Copy, Debug)]
    pub struct Quat(pub f64, pub [f64; 3]);
    #[derive(Clone, Copy, Debug)]
    pub struct Pose {
        pub q: Quat,
        pub t: [f64; 3],
    }
    type P3 = [f64; 3];
    fn cross(a: P3, b: P3) -> P3 {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }
    fn add(a: P3, b: P3) -> P3 {
        let mut c = a;
        for i in 0..3 {
            c[i] += b[i];
        }
        c
    }
    fn scale(a: P3, s: f64) -> P3 {
        a.map(|v| v * s)
    }
    impl Quat {
        const IDENTITY: Quat = Quat(1.0, [0.0; 3]);
        fn normalised(self) -> Quat {
            let n = (self.0 * self.0 + self.1.iter().map(|v| v * v).sum::<f64>()).sqrt();
            Quat(self.0 / n, scale(self.1, 1.0 / n))
        }
        fn rotate(&self, p: P3) -> P3 {
            let t = scale(cross(self.1, p), 2.0);
            add(add(p, scale(t, self.0)), cross(self.1, t))
        }
        fn compose(self, o: Quat) -> Quat {
            let Quat(w, v) = self;
            let Quat(w2, v2) = o;
            let d: f64 = v.iter().zip(v2.iter()).map(|(a, b)| a * b).sum();
            Quat(w * w2 - d, add(add(scale(v2, w), scale(v, w2)), cross(v, v2)))
        }
    }
    impl Pose {
        fn apply(&self, p: &P3) -> P3 {
            add(self.q.normalised().rotate(*p), self.t)
        }
    }
    pub fn chain(poses: &[Pose], p: P3) -> P3 {
        let mut q = Quat::IDENTITY;
        let mut x = p;
        for pose in poses.iter() {
            x = pose.apply(&x);
            q = q.compose(pose.q);
        }
        [x[0] * q.0, x[1], x[2]]
    }
}

#[test]
fn gradient_of_geometry() {
    use geometry::*;
    let mk = |v: &[f64]| {
        v.chunks(7)
            .map(|c| Pose { q: Quat(c[0], [c[1], c[2], c[3]]), t: [c[4], c[5], c[6]] })
            .collect::<Vec<_>>()
    };
    let v = random(1, 14);
    let p = [0.2, 0.4, -0.7];
    let s = [0.5, -1.0, 0.25];
    let mut d = mk(&vec![0.0; 14]);
    let mut dp = [0.0; 3];
    chain::vjp(&mk(&v), &mut d, p, &mut dp, s);
    let f: Vec<f64> =
        d.iter().flat_map(|c| [c.q.0, c.q.1[0], c.q.1[1], c.q.1[2], c.t[0], c.t[1], c.t[2]]).collect();
    check(|v| dot(&chain(&mk(&v[0]), v[1].as_slice().try_into().unwrap()), &s), &[&v, &p], &[&f, &dp]);
}

#[differentiate]
mod mesh {
    use rayon::prelude::*;
    use std::ops::{Add, Mul, Sub};
    pub type Scalar = f64;
    #[derive(Clone, Copy, PartialEq)]
    pub struct P(pub Scalar, pub Scalar);
    impl Add for P {
        type Output = P;
        fn add(self, o: P) -> P {
            P(self.0 + o.0, self.1 + o.1)
        }
    }
    impl Sub for P {
        type Output = P;
        fn sub(self, o: P) -> P {
            P(self.0 - o.0, self.1 - o.1)
        }
    }
    impl Mul<Scalar> for P {
        type Output = P;
        fn mul(self, s: Scalar) -> P {
            P(self.0 * s, self.1 * s)
        }
    }
    #[derive(Clone, Copy)]
    pub struct Tri {
        pub v: [usize; 3],
        pub mat: u8,
    }
    #[derive(Clone, Copy)]
    pub struct Material {
        pub young: Scalar,
        pub density: Scalar,
    }
    impl Material {
        pub const STEEL: Material = Material { young: 2.1, density: 7.8 };
        pub const NONE: Self = Material { young: 0.0, ..Self::STEEL };
    }
    fn cross(a: P, b: P) -> Scalar {
        a.0 * b.1 - a.1 * b.0
    }
    impl Tri {
        fn corners(&self, pts: &[P]) -> (P, P, P) {
            (pts[self.v[0]], pts[self.v[1]], pts[self.v[2]])
        }
        fn area(&self, pts: &[P]) -> Scalar {
            let (a, b, c) = self.corners(pts);
            0.5 * cross(b - a, c - a)
        }
    }
    pub fn energy(pts: &[P], tris: &[Tri], mats: &[Material]) -> Scalar {
        tris.par_iter()
            .map(|t| {
                let m = if t.mat as usize >= mats.len() { Material::STEEL } else { mats[t.mat as usize] };
                let a = t.area(pts);
                let (p, q, r) = t.corners(pts);
                let centre = (p + q + r) * (1.0 / 3.0);
                let edge = p - q;
                m.young * a * a
                    + m.density * a.abs() * centre.1
                    + (edge.0 * edge.0 + edge.1 * edge.1 + 0.1).sqrt()
                    - Material::NONE.young
            })
            .sum()
    }
}

#[test]
fn gradient_of_mesh() {
    use mesh::*;
    let pts = |v: &[f64]| v.chunks(2).map(|c| P(c[0], c[1])).collect::<Vec<_>>();
    let mats = |v: &[f64]| v.chunks(2).map(|c| Material { young: c[0], density: c[1] }).collect::<Vec<_>>();
    let run = |n: usize| {
        let tris: Vec<Tri> = (0..2 * n)
            .map(|i| Tri { v: [i % n, (i * 3 + 1) % n, (i * 5 + 2) % n], mat: (i % 3) as u8 })
            .collect();
        let (x, m) = (random(1, 2 * n), positive(2, 4));
        let (_, g) = energy::gradient(&pts(&x), &tris, &mats(&m));
        (
            x,
            m,
            tris,
            g.pts.iter().flat_map(|p| [p.0, p.1]).collect::<Vec<_>>(),
            g.mats.iter().flat_map(|m| [m.young, m.density]).collect::<Vec<_>>(),
        )
    };
    let (x, m, t, gx, gm) = run(5);
    check(|v| energy(&pts(&v[0]), &t, &mats(&v[1])), &[&x, &m], &[&gx, &gm]);
    on_threads(|| {
        let r = run(4001);
        [r.3, r.4].concat()
    });
}

#[differentiate]
mod lattice {
    pub const L: usize = 4;
    const T: f64 = 0.5;
    const N2: usize = L * L;
    #[derive(Clone)]
    pub struct Field {
        pub phi: [[f64; L]; L],
        pub mass: f64,
    }
    pub struct Obs {
        pub action: f64,
        pub mag: f64,
        pub corr: [f64; L],
    }
    impl Field {
        fn neighbours(i: usize, j: usize) -> [(usize, usize); 2] {
            [((i + 1) % L, j), (i, (j + 1) % L)]
        }
        fn local(&self, i: usize, j: usize) -> f64 {
            let p = self.phi[i][j];
            let k: f64 = {
                let [(a, b), (c, d)] = Self::neighbours(i, j);
                (self.phi[a][b] - p).powi(2) + (self.phi[c][d] - p).powi(2)
            };
            0.5 * k + 0.5 * self.mass * p * p + T * p.powi(4)
        }
        pub fn relax(&mut self, sweeps: usize, w: f64) -> usize {
            let mut done = 0;
            'sweep: for s in 0..sweeps {
                let mut change = 0.0;
                for i in 0..L {
                    for j in 0..L {
                        let f = self.phi[(i + 1) % L][j] + self.phi[i][(j + L - 1) % L];
                        let new = (1.0 - w) * self.phi[i][j] + w * f / (2.0 + self.mass);
                        change += (new - self.phi[i][j]).abs();
                        self.phi[i][j] = new;
                    }
                    if change > 100.0 {
                        break 'sweep;
                    }
                }
                done = s + 1;
                if change < 1e-3 {
                    break;
                }
            }
            done
        }
    }
    pub fn observe(f: &Field, w: f64) -> Obs {
        let mut f = f.clone();
        let n = f.relax(3, w);
        let mut obs = Obs { action: 0.0, mag: n as f64, corr: [0.0; L] };
        for i in 0..L {
            for j in 0..L {
                obs.action += f.local(i, j);
                obs.mag += f.phi[i][j] / N2 as f64;
                for r in 0..L {
                    obs.corr[r] += f.phi[i][j] * f.phi[(i + r) % L][j];
                }
            }
        }
        obs
    }
}

#[test]
fn gradient_of_lattice() {
    use lattice::*;
    let mk = |v: &[f64]| Field {
        phi: std::array::from_fn(|i| std::array::from_fn(|j| v[i * 4 + j])),
        mass: v[16],
    };
    let v = random(1, 17);
    let mut d = mk(&vec![0.0; 17]);
    let mut dw = 0.0;
    observe::vjp(&mk(&v), &mut d, 0.6, &mut dw, Obs { action: 0.5, mag: -1.0, corr: [0.1, 0.2, -0.3, 0.4] });
    let flat = [d.phi.as_flattened(), &[d.mass]].concat();
    check(
        |v| {
            let o = observe(&mk(&v[0]), v[1][0]);
            0.5 * o.action - o.mag + dot(&o.corr, &[0.1, 0.2, -0.3, 0.4])
        },
        &[&v, &[0.6]],
        &[&flat, &[dw]],
    );
}
