//! Grids whose last element is beside the first one, grids with walls, and grids of several numbers in each place: as users write
//! them, against differences, on one thread and on two.

use pardiff::differentiate;

/// Shallow water on a periodic grid.
#[differentiate(wrt(h0))]
fn water(h0: &[f64], nx: usize, ny: usize, steps: usize, dt: f64) -> f64 {
    let n = nx * ny;
    let mut h = h0.to_vec();
    let mut u = vec![0.0; n];
    let mut v = vec![0.0; n];
    for _ in 0..steps {
        let mut du = vec![0.0; n];
        let mut dv = vec![0.0; n];
        for j in 0..ny {
            for i in 0..nx {
                let e = j * nx + (i + 1) % nx;
                let w = j * nx + (i + nx - 1) % nx;
                let s = ((j + ny - 1) % ny) * nx + i;
                let t = ((j + 1) % ny) * nx + i;
                du[j * nx + i] = -9.81 * 0.5 * (h[e] - h[w]);
                dv[j * nx + i] = -9.81 * 0.5 * (h[t] - h[s]);
            }
        }
        for k in 0..n {
            u[k] += dt * du[k];
            v[k] += dt * dv[k];
        }
        let old = h.clone();
        for j in 0..ny {
            for i in 0..nx {
                let e = j * nx + (i + 1) % nx;
                let w = j * nx + (i + nx - 1) % nx;
                let s = ((j + ny - 1) % ny) * nx + i;
                let t = ((j + 1) % ny) * nx + i;
                h[j * nx + i] = old[j * nx + i]
                    - 0.5 * dt * (old[e] * u[e] - old[w] * u[w] + old[t] * v[t] - old[s] * v[s]);
            }
        }
    }
    h.iter().map(|a| (a - 1.0).powi(2)).sum()
}

/// Diffusion on a periodic grid, with names for the neighbours.
#[differentiate(wrt(u0, k))]
fn diffuse(u0: &[f64], k: &[f64], nx: usize, ny: usize, steps: usize) -> f64 {
    let mut u = u0.to_vec();
    let mut next = vec![0.0; nx * ny];
    for _ in 0..steps {
        for i in 0..nx {
            let ip = (i + 1) % nx;
            let im = (i + nx - 1) % nx;
            for j in 0..ny {
                let jp = (j + 1) % ny;
                let jm = (j + ny - 1) % ny;
                let c = u[i * ny + j];
                let lap = u[ip * ny + j] + u[im * ny + j] + u[i * ny + jp] + u[i * ny + jm] - 4.0 * c;
                next[i * ny + j] = c + k[i * ny + j] * lap * c;
            }
        }
        std::mem::swap(&mut u, &mut next);
    }
    u.iter().map(|u| u * u).sum()
}

/// A ring by conditions.
#[differentiate(wrt(u, k))]
fn choice(u: &[f64], k: &[f64]) -> f64 {
    let n = u.len();
    let mut s = 0.0;
    for i in 0..n {
        let ip = if i + 1 < n { i + 1 } else { 0 };
        let im = if i == 0 { n - 1 } else { i - 1 };
        s += k[i] * (u[ip] - u[im]).sin() * u[i];
    }
    s
}

/// Differences of fourth order in a periodic cube, the index by a closure.
#[differentiate(wrt(u0, k))]
fn cube(u0: &[f64], k: &[f64], nx: usize, ny: usize, nz: usize, steps: usize) -> f64 {
    let at = |x: usize, y: usize, z: usize| (x * ny + y) * nz + z;
    let mut u = u0.to_vec();
    for _ in 0..steps {
        let mut next = vec![0.0; u0.len()];
        for x in 0..nx {
            for y in 0..ny {
                for z in 0..nz {
                    let c = u[at(x, y, z)];
                    let dx = u[at((x + 1) % nx, y, z)] - 2.0 * c + u[at((x + nx - 1) % nx, y, z)];
                    let dy = u[at(x, (y as i64 + 1).rem_euclid(ny as i64) as usize, z)]
                        - u[at(x, (y as i64 - 1).rem_euclid(ny as i64) as usize, z)];
                    let dz = -u[at(x, y, (z + 2) % nz)] + 8.0 * u[at(x, y, (z + 1) % nz)]
                        - 8.0 * u[at(x, y, (z + nz - 1) % nz)]
                        + u[at(x, y, (z + 2 * nz - 2) % nz)];
                    next[at(x, y, z)] = c + 0.01 * k[at(x, y, z)] * (dx * c + dy * dz);
                }
            }
        }
        u = next;
    }
    u.iter().map(|x| x * x).sum()
}

/// Fluxes that are pushed to the neighbours.
#[differentiate(wrt(f0, w))]
fn push(f0: &[f64], w: &[f64], nx: usize, ny: usize, steps: usize) -> f64 {
    let mut f = f0.to_vec();
    for _ in 0..steps {
        let mut next = vec![0.0; nx * ny];
        for i in 0..nx {
            for j in 0..ny {
                let v = f[i * ny + j] * w[i * ny + j];
                next[((i + 1) % nx) * ny + j] += 0.25 * v * v;
                next[((i + nx - 1) % nx) * ny + j] += 0.25 * v;
                next[i * ny + (j + 1) % ny] += 0.25 * v.sin();
                next[i * ny + (j + ny - 1) % ny] += 0.25 * v;
            }
        }
        f = next;
    }
    f.iter().sum()
}

/// Diffusion between walls.
#[differentiate(wrt(u0, k))]
fn between_walls(u0: &[f64], k: &[f64], nx: usize, ny: usize, steps: usize) -> f64 {
    let mut u = u0.to_vec();
    for _ in 0..steps {
        let old = u.clone();
        for i in 0..nx {
            for j in 0..ny {
                let c = old[i * ny + j];
                let n = if i > 0 { old[(i - 1) * ny + j] } else { c };
                let s = if i + 1 < nx { old[(i + 1) * ny + j] } else { c };
                let w = if j > 0 { old[i * ny + j - 1] } else { c };
                let e = if j + 1 < ny { old[i * ny + j + 1] } else { c };
                u[i * ny + j] = c + 0.1 * k[i * ny + j] * (n + s + w + e - 4.0 * c) * c;
            }
        }
    }
    u.iter().map(|x| x * x).sum()
}

/// Differences to neighbours that are there.
#[differentiate(wrt(u, k))]
fn differences(u: &[f64], k: &[f64], nx: usize, ny: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..nx {
        for j in 0..ny {
            if i > 0 {
                let d = u[i * ny + j] - u[(i - 1) * ny + j];
                s += k[i * ny + j] * d * d;
            }
            if j + 1 < ny {
                let d = u[i * ny + j] - u[i * ny + j + 1];
                s += k[i * ny + j] * d.powi(4);
            }
        }
    }
    s
}

/// A box in which each neighbour ends in another way, the index by a function.
#[differentiate(wrt(u, k))]
fn mixed(u: &[f64], k: &[f64], nx: usize, ny: usize, nz: usize) -> f64 {
    fn at3(x: usize, y: usize, z: usize, ny: usize, nz: usize) -> usize {
        (x * ny + y) * nz + z
    }
    let mut out = vec![0.0; nx * ny * nz];
    for x in 0..nx {
        let xm = if x == 0 { 0 } else { x - 1 };
        let xp = (x + 1).min(nx - 1);
        for y in 0..ny {
            let yp = if y + 1 == ny { 0 } else { y + 1 };
            for z in 0..nz {
                let zp = (z + 1) % nz;
                let c = u[at3(x, y, z, ny, nz)];
                out[at3(x, y, z, ny, nz)] = c + k[at3(x, y, z, ny, nz)]
                    * (u[at3(xm, y, z, ny, nz)]
                        + u[at3(xp, y, z, ny, nz)]
                        + u[at3(x, yp, z, ny, nz)] * u[at3(x, y, zp, ny, nz)]
                        - 4.0 * c)
                    * c;
            }
        }
    }
    out.iter().map(|v| v * v).sum()
}

type Run<'a> = &'a (dyn Fn(&[f64], &[f64]) -> f64 + Sync);
type Gradient<'a> = &'a (dyn Fn(&[f64], &[f64], &mut [f64], &mut [f64]) -> f64 + Sync);

/// A lattice gas on five planes, whose moments are written out.
#[differentiate(wrt(x, k))]
fn planes(x: &[f64], k: &[f64], nx: usize, ny: usize, steps: usize) -> f64 {
    const CX: [isize; 5] = [0, 1, 0, -1, 0];
    const CY: [isize; 5] = [0, 0, 1, 0, -1];
    let cells = nx * ny;
    let mut f = vec![0.0; 5 * cells];
    for c in 0..cells {
        f[c] = 1.0 + x[c];
        f[cells + c] = 0.5 * x[c];
        f[2 * cells + c] = x[c] * x[c];
        f[3 * cells + c] = 0.2;
        f[4 * cells + c] = 0.1 - x[c];
    }
    let mut next = f.clone();
    for _ in 0..steps {
        for i in 0..ny {
            for j in 0..nx {
                let c = i * nx + j;
                let (f0, f1, f2) = (f[c], f[cells + c], f[2 * cells + c]);
                let (f3, f4) = (f[3 * cells + c], f[4 * cells + c]);
                let density = 2.0 + f0 + f1 + f2 + f3 + f4 + f0 * f1 + f2 * f3;
                let u = (f1 - f3 + f0 * f4 - f1 * f2 + f2 * f3 - f3 * f4) / density;
                let v = (f2 - f4 + f0 * f1 - f1 * f3 + f2 * f4 - f0 * f3) / density;
                for q in 0..5 {
                    let along = CX[q] as f64 * u + CY[q] as f64 * v;
                    let towards =
                        density * (0.2 + 0.3 * along + 0.45 * along * along - 0.15 * (u * u + v * v));
                    next[q * cells + c] = f[q * cells + c] + 0.6 * k[c] * (towards - f[q * cells + c]);
                }
            }
        }
        std::mem::swap(&mut f, &mut next);
    }
    let mut total = 0.0;
    for i in 0..ny {
        for j in 0..nx {
            let c = i * nx + j;
            total += f[c] * f[cells + c] + f[2 * cells + c].sin() - f[3 * cells + c] * f[4 * cells + c];
        }
    }
    total
}

/// Two species in each place of a flat grid.
#[differentiate(wrt(x, k))]
fn species(x: &[f64], k: &[f64], nx: usize, ny: usize, steps: usize) -> f64 {
    let mut a: Vec<[f64; 2]> = vec![[0.0; 2]; nx * ny];
    for c in 0..nx * ny {
        a[c] = [x[c], 1.0 - 0.3 * x[c]];
    }
    let mut b = a.clone();
    for _ in 0..steps {
        for i in 1..ny - 1 {
            for j in 1..nx - 1 {
                let [p, q] = a[i * nx + j];
                for s in 0..2 {
                    let c = a[i * nx + j][s];
                    let around = a[(i - 1) * nx + j][s] + a[(i + 1) * nx + j][s] + a[i * nx + j - 1][s];
                    b[i * nx + j][s] = c + 0.1 * k[i * nx + j] * (around - 3.0 * c) + 0.02 * p * q * c;
                }
            }
        }
        std::mem::swap(&mut a, &mut b);
    }
    a.iter().map(|p| p[0] * p[0] + p[1].sin()).sum()
}

fn numbers(count: usize, from: usize) -> Vec<f64> {
    (0..count).map(|i| 0.5 + ((i + from) * 7919 % 1009) as f64 / 1009.0).collect()
}

/// The slope of the primal along a direction, by differences of sixth order, is that of the gradient; two threads make the same bits.
fn check(name: &str, count: usize, run: Run<'_>, gradient: Gradient<'_>) {
    let (x, k) = (numbers(count, 3), numbers(count, 11));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let (mut d_x, mut d_k) = (vec![0.0; count], vec![0.0; count]);
            let value = gradient(&x, &k, &mut d_x, &mut d_k);
            (value, d_x, d_k)
        })
    };
    let alone = on(1);
    assert_eq!(alone, on(2), "{name} {count}");
    let (value, d_x, d_k) = alone;
    let along: Vec<f64> = (0..2 * count).map(|i| (i * 31 % 17) as f64 / 17.0 - 0.4).collect();
    let at = |h: f64| {
        let moved = |of: &[f64], by: &[f64]| of.iter().zip(by).map(|(a, b)| a + h * b).collect::<Vec<f64>>();
        run(&moved(&x, &along[..count]), &moved(&k, &along[count..]))
    };
    assert!((at(0.0) - value).abs() <= 1e-11 * value.abs(), "{name} {count}");
    let h = 1e-3;
    let pair = |times: f64| at(times * h) - at(-times * h);
    let slope = (45.0 * pair(1.0) - 9.0 * pair(2.0) + pair(3.0)) / (60.0 * h);
    let exact: f64 = d_x.iter().chain(&d_k).zip(&along).map(|(a, b)| a * b).sum();
    assert!((slope - exact).abs() <= 1e-8 * exact.abs().max(1e-3), "{name} {count}: {exact} is not {slope}");
}

macro_rules! check {
    ($kernel:ident, $count:expr $(, $size:expr)*) => {
        check(
            stringify!($kernel),
            $count,
            &|x, k| $kernel(x, k $(, $size)*),
            &|x, k, d_x, d_k| $kernel::grad(x, d_x, k, d_k $(, $size)*),
        )
    };
}

const GRIDS: [(usize, usize); 9] = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 3), (1, 7), (7, 1), (5, 4), (41, 33)];

#[test]
fn periodic_grids() {
    for n in [1, 2, 3, 4, 17, 300] {
        check!(choice, n);
    }
    for (a, b) in GRIDS {
        check!(diffuse, a * b, a, b, 3);
        check!(push, a * b, a, b, 3);
        let d = 0.01;
        check("water", a * b, &|x, _| water(x, a, b, 3, d), &|x, _, d_x, _| water::grad(x, d_x, a, b, 3, d));
        for c in [1, 2, 3, 6] {
            check!(cube, a * b * c, a, b, c, 2);
        }
    }
}

#[test]
fn walls_on_all_sides() {
    for (a, b) in GRIDS {
        check!(between_walls, a * b, a, b, 3);
        check!(differences, a * b, a, b);
        for c in [1, 2, 5] {
            check!(mixed, a * b * c, a, b, c);
        }
    }
}

#[test]
fn planes_and_records() {
    for (a, b) in GRIDS {
        check!(planes, a * b, a, b, 3);
        check!(species, a * b, a, b, 3);
    }
}
