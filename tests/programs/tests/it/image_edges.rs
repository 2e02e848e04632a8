//! Edges of images and grids, in the ways in which people write them: signed indices, clamps, and grids that are
//! closed.

mod clamped {
    //! Two blurs, one after the other, whose windows are clamped.

    use pardiff::differentiate;

    #[differentiate(check)]
    pub fn blur(image: &[f64], kernel: &[f64; 5], target: &[f64], h: usize, w: usize) -> f64 {
        let mut rows = vec![0.0; h * w];
        for y in 0..h {
            for x in 0..w {
                let mut sum = 0.0;
                for (i, weight) in kernel.iter().enumerate() {
                    let xx = (x as isize + i as isize - 2).clamp(0, w as isize - 1) as usize;
                    sum += weight * image[y * w + xx];
                }
                rows[y * w + x] = sum;
            }
        }
        let mut loss = 0.0;
        for y in 0..h {
            for x in 0..w {
                let mut sum = 0.0;
                for (i, weight) in kernel.iter().enumerate() {
                    let yy = (y as i32 + i as i32 - 2).max(0).min(h as i32 - 1) as usize;
                    sum += weight * rows[yy * w + x];
                }
                loss += (sum - target[y * w + x]).powi(2);
            }
        }
        loss
    }
}

mod padded {
    //! A window of which only what is in the image counts.

    use pardiff::differentiate;

    #[differentiate(check)]
    pub fn convolve(image: &[f64], kernel: &[f64; 9], target: &[f64], h: usize, w: usize) -> f64 {
        let mut loss = 0.0;
        for y in 0..h {
            for x in 0..w {
                let mut sum = 0.0;
                for dy in -1i32..=1 {
                    let yy = y as i32 + dy;
                    if yy < 0 || yy >= h as i32 {
                        continue;
                    }
                    for dx in -1i32..=1 {
                        let xx = x as i32 + dx;
                        if (0..w as i32).contains(&xx) {
                            let weight = kernel[((dy + 1) * 3 + dx + 1) as usize];
                            sum += weight * image[yy as usize * w + xx as usize];
                        }
                    }
                }
                loss += (sum - target[y * w + x]).powi(2);
            }
        }
        loss
    }
}

mod signed {
    //! Flat indices that are computed in signed integers throughout, with a closure that clamps them.

    use pardiff::differentiate;

    #[differentiate(check)]
    pub fn edges(image: &[f64], target: &[f64], h: i32, w: i32) -> f64 {
        let at = |x: i32, y: i32| {
            let x = x.max(0).min(w - 1);
            let y = y.clamp(0, h - 1);
            image[(y * w + x) as usize]
        };
        let mut loss = 0.0;
        for y in 0..h {
            for x in 0..w {
                let (gx, gy) = (at(x + 1, y) - at(x - 2, y), at(x, y + 1) - at(x, y - 1));
                loss += ((gx * gx + gy * gy + 0.1).sqrt() - target[(y * w + x) as usize]).powi(2);
            }
        }
        for y in 1..h as isize - 1 {
            for x in 1..w as isize - 1 {
                let at = |i: isize| image[i as usize];
                let row = y * w as isize;
                loss += 0.5 * (at(row + x + 1) - at(row - w as isize + x)).powi(2);
            }
        }
        loss
    }
}

mod helped {
    //! Edges in a closure and in a function that are given the sizes.

    use pardiff::differentiate;

    #[differentiate(check)]
    pub fn convolve(image: &[f64], kernel: &[f64; 9], target: &[f64], h: usize, w: usize) -> f64 {
        let clamped = |v: isize, n: usize| v.max(0).min(n as isize - 1) as usize;
        let mut loss = 0.0;
        for y in 0..h {
            for x in 0..w {
                let mut sum = 0.0;
                for dy in 0..3 {
                    for dx in 0..3 {
                        let yy = clamped(y as isize + dy as isize - 1, h);
                        let xx = clamped(x as isize + dx as isize - 1, w);
                        sum += kernel[dy * 3 + dx] * image[yy * w + xx];
                    }
                }
                loss += (sum - target[y * w + x]).powi(2);
            }
        }
        loss
    }

    #[differentiate(export)]
    fn at(image: &[f64], w: usize, h: usize, x: isize, y: isize) -> f64 {
        if x < 0 || y < 0 || x >= w as isize || y >= h as isize {
            return 0.0;
        }
        image[y as usize * w + x as usize]
    }

    #[differentiate(check, uses(at))]
    pub fn slopes(image: &[f64], target: &[f64], h: usize, w: usize) -> f64 {
        let mut loss = 0.0;
        for y in 0..h as isize {
            for x in 0..w as isize {
                let mut slope = at(image, w, h, x + 1, y) - at(image, w, h, x - 1, y);
                slope += 0.5 * (at(image, w, h, x + 1, y - 1) - at(image, w, h, x - 1, y + 1));
                loss += (slope - target[y as usize * w + x as usize]).powi(2);
            }
        }
        loss
    }
}

mod closed {
    //! The curl of a field on a closed grid: each of its parts adds to two arrays.

    use pardiff::differentiate;

    #[differentiate(check)]
    pub fn curl(u: &[f64], v: &[f64], w: &[f64], n: usize) -> f64 {
        let at = |i: usize, j: usize, k: usize| (i * n + j) * n + k;
        let mut energy = 0.0;
        for i in 0..n {
            let (ip, im) = ((i + 1) % n, (i + n - 1) % n);
            for j in 0..n {
                let (jp, jm) = ((j + 1) % n, (j + n - 1) % n);
                for k in 0..n {
                    let (kp, km) = ((k + 1) % n, (k + n - 1) % n);
                    let a = w[at(i, jp, k)] - w[at(i, jm, k)] - v[at(i, j, kp)] + v[at(i, j, km)];
                    let b = u[at(i, j, kp)] - u[at(i, j, km)] - w[at(ip, j, k)] + w[at(im, j, k)];
                    let c = v[at(ip, j, k)] - v[at(im, j, k)] - u[at(i, jp, k)] + u[at(i, jm, k)];
                    energy += 0.25 * (a * a + b * b + c * c);
                }
            }
        }
        energy
    }
}

mod far {
    //! Second neighbours, kept in the grid.

    use pardiff::differentiate;

    #[differentiate(check)]
    pub fn bend(u: &[f64], stiffness: f64) -> f64 {
        let n = u.len();
        let mut energy = 0.0;
        for i in 0..n {
            let (before, behind) = (i.saturating_sub(2), (i + 2).min(n - 1));
            energy += stiffness * (u[before] - 2.0 * u[i] + u[behind]).powi(2);
        }
        energy
    }
}

use pardiff_programs::random;

#[test]
fn gradients() -> Result<(), Box<dyn std::error::Error>> {
    // images smaller than the window, too, and ones longer than the lanes of a block
    for (h, w) in [(1, 1), (2, 3), (7, 150), (150, 7)] {
        let (image, target) = (random(1, h * w), random(2, h * w));
        clamped::blur::check(&image, &[0.1, 0.2, 0.4, 0.2, 0.1], &target, h, w)?;
        let kernel: [f64; 9] = std::array::from_fn(|k| 0.1 + 0.05 * k as f64);
        padded::convolve::check(&image, &kernel, &target, h, w)?;
        signed::edges::check(&image, &target, h as i32, w as i32)?;
        helped::convolve::check(&image, &kernel, &target, h, w)?;
        helped::slopes::check(&image, &target, h, w)?;
    }
    for n in [1, 2, 3, 9] {
        let [u, v, w] = [1, 2, 3].map(|seed| random(seed, n * n * n));
        closed::curl::check(&u, &v, &w, n)?;
    }
    for n in [1, 2, 3, 4, 300] {
        far::bend::check(&random(4, n), 0.7)?;
    }
    Ok(())
}
