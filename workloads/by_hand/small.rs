//! Formulas without inner loops over data.

/// Gradient of [`batched_solve`](fn@crate::batched_solve::batched_solve): with `A x = b` and the adjoint `x_bar`,
/// `A' b_bar = x_bar` and `A_bar = -b_bar x'`.
pub fn batched_solve(
    a: &[[[f64; 3]; 3]],
    d_a: &mut [[[f64; 3]; 3]],
    b: &[[f64; 3]],
    d_b: &mut [[f64; 3]],
    target: &[[f64; 3]],
) -> f64 {
    let mut total = 0.0;
    for (s, a) in a.iter().enumerate() {
        // the inverse by cofactors serves both systems
        let cofactor = |i: usize, j: usize| {
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1]
        };
        let c: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| cofactor(i, j)));
        let inverse = 1.0 / (a[0][0] * c[0][0] + a[0][1] * c[0][1] + a[0][2] * c[0][2]);
        let b = &b[s];
        let x: [f64; 3] =
            std::array::from_fn(|j| inverse * (c[0][j] * b[0] + c[1][j] * b[1] + c[2][j] * b[2]));
        let e: [f64; 3] = std::array::from_fn(|i| x[i] - target[s][i]);
        total += 0.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        for i in 0..3 {
            let b_bar = inverse * (c[i][0] * e[0] + c[i][1] * e[1] + c[i][2] * e[2]);
            d_b[s][i] += b_bar;
            for j in 0..3 {
                d_a[s][i][j] -= b_bar * x[j];
            }
        }
    }
    total
}

/// Gradient of [`option_book`](fn@crate::option_book::option_book) by spot, rate and the volatilities, flat.
pub fn option_book(p: &[f64], g: &mut [f64], strike: &[f64], maturity: &[f64], quantity: &[f64]) -> f64 {
    /// The approximate normal distribution and its derivative.
    fn normal(x: f64) -> (f64, f64) {
        const SCALE: f64 = 0.2316419;
        let t = 1.0 / (1.0 + SCALE * x.abs());
        let c = [0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
        let poly = t * (c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * c[4]))));
        let slope = c[0] + t * (2.0 * c[1] + t * (3.0 * c[2] + t * (4.0 * c[3] + t * 5.0 * c[4])));
        let density = 0.3989422804014327 * (-0.5 * x * x).exp();
        let tail = density * poly;
        let d_tail = density * (x.abs() * poly + slope * SCALE * t * t);
        (if x >= 0.0 { 1.0 - tail } else { tail }, d_tail)
    }

    let (spot, rate, volatility) = (p[0], p[1], &p[2..]);
    let (mut total, mut d_spot, mut d_rate) = (0.0, 0.0, 0.0);
    for i in 0..strike.len() {
        let (sigma, time, root) = (volatility[i], maturity[i], maturity[i].sqrt());
        let width = sigma * root;
        let d1 = ((spot / strike[i]).ln() + (rate + 0.5 * sigma * sigma) * time) / width;
        let d2 = d1 - width;
        let discount = (-rate * time).exp();
        let ((n1, slope1), (n2, slope2)) = (normal(d1), normal(d2));
        let present = strike[i] * discount;
        total += quantity[i] * (spot * n1 - present * n2);
        // the approximation is not exactly normal, so the terms through d1 and d2 do not cancel
        let d_d2 = -quantity[i] * present * slope2;
        let d_d1 = quantity[i] * spot * slope1 + d_d2;
        d_spot += quantity[i] * n1 + d_d1 / (width * spot);
        d_rate += quantity[i] * present * n2 * time + d_d1 * time / width;
        g[2 + i] += d_d1 * (sigma * time / width - d1 / sigma) - d_d2 * root;
    }
    g[0] += d_spot;
    g[1] += d_rate;
    total
}

/// Gradient of [`projection`](fn@crate::projection::projection).
pub fn projection(
    camera: &[f64; 11],
    d_camera: &mut [f64; 11],
    point: &[f64; 3],
    d_point: &mut [f64; 3],
    weight: f64,
    d_weight: &mut f64,
    feature: &[f64; 2],
) -> f64 {
    let c = camera;
    let o = [point[0] - c[3], point[1] - c[4], point[2] - c[5]];
    let theta = (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).sqrt();
    let (sin, cos) = theta.sin_cos();
    let inverse = 1.0 / theta;
    let w = [c[0] * inverse, c[1] * inverse, c[2] * inverse];
    let cross = [w[1] * o[2] - w[2] * o[1], w[2] * o[0] - w[0] * o[2], w[0] * o[1] - w[1] * o[0]];
    let along = w[0] * o[0] + w[1] * o[1] + w[2] * o[2];
    let scaled = along * (1.0 - cos);
    let r: [f64; 3] = std::array::from_fn(|k| o[k] * cos + cross[k] * sin + w[k] * scaled);
    let depth = 1.0 / r[2];
    let (u, v) = (r[0] * depth, r[1] * depth);
    let r2 = u * u + v * v;
    let distortion = 1.0 + c[9] * r2 + c[10] * r2 * r2;
    let p0 = u * distortion * c[6] + c[7] - feature[0];
    let p1 = v * distortion * c[6] + c[8] - feature[1];
    let (e0, e1) = (weight * p0, weight * p1);

    *d_weight += e0 * p0 + e1 * p1;
    let (d0, d1) = (e0 * weight, e1 * weight);
    d_camera[7] += d0;
    d_camera[8] += d1;
    let q = d0 * u + d1 * v;
    d_camera[6] += q * distortion;
    let d_distortion = q * c[6];
    d_camera[9] += d_distortion * r2;
    d_camera[10] += d_distortion * r2 * r2;
    let d_r2 = d_distortion * (c[9] + 2.0 * c[10] * r2);
    let d_u = d0 * distortion * c[6] + 2.0 * u * d_r2;
    let d_v = d1 * distortion * c[6] + 2.0 * v * d_r2;
    let d_r = [d_u * depth, d_v * depth, -(d_u * u + d_v * v) * depth];
    let (mut d_cos, mut d_sin, mut d_scaled) = (0.0, 0.0, 0.0);
    let (mut d_w, mut d_cross, mut d_o) = ([0.0; 3], [0.0; 3], [0.0; 3]);
    for k in 0..3 {
        d_o[k] = d_r[k] * cos;
        d_cos += d_r[k] * o[k];
        d_cross[k] = d_r[k] * sin;
        d_sin += d_r[k] * cross[k];
        d_w[k] = d_r[k] * scaled;
        d_scaled += d_r[k] * w[k];
    }
    let d_along = d_scaled * (1.0 - cos);
    d_cos -= d_scaled * along;
    for k in 0..3 {
        let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
        d_w[k] += d_along * o[k];
        d_o[k] += d_along * w[k];
        d_w[k1] += d_cross[k] * o[k2];
        d_o[k2] += d_cross[k] * w[k1];
        d_w[k2] -= d_cross[k] * o[k1];
        d_o[k1] -= d_cross[k] * w[k2];
    }
    let through = d_w[0] * c[0] + d_w[1] * c[1] + d_w[2] * c[2];
    let d_theta = cos * d_sin - sin * d_cos - through * inverse * inverse;
    for k in 0..3 {
        d_camera[k] += d_w[k] * inverse + d_theta * w[k];
        d_camera[3 + k] -= d_o[k];
        d_point[k] += d_o[k];
    }
    0.5 * (e0 * e0 + e1 * e1)
}
