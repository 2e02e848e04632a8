//! Kernels as people write them.

use super::same;

same! {
    fn bundle_adjustment(cams: &[f64], points: &[f64], obs: &[usize], feats: &[f64], w: &[f64], err: &mut [f64]) {
        fn rodrigues(rot: &[f64], pt: &[f64], out: &mut [f64; 3]) {
            let sq = rot[0] * rot[0] + rot[1] * rot[1] + rot[2] * rot[2];
            if sq != 0.0 {
                let theta = sq.sqrt();
                let (s, c) = theta.sin_cos();
                let inv = 1.0 / theta;
                let mut axis = [0.0; 3];
                for i in 0..3 { axis[i] = rot[i] * inv; }
                let cr = [axis[1] * pt[2] - axis[2] * pt[1], axis[2] * pt[0] - axis[0] * pt[2], axis[0] * pt[1] - axis[1] * pt[0]];
                let dot = axis[0] * pt[0] + axis[1] * pt[1] + axis[2] * pt[2];
                let tmp = dot * (1.0 - c);
                for i in 0..3 { out[i] = pt[i] * c + cr[i] * s + axis[i] * tmp; }
            } else {
                for i in 0..3 { out[i] = pt[i]; }
            }
        }
        const N_CAM: usize = 11;
        let p = w.len();
        for i in 0..p {
            let cam = &cams[obs[2 * i] * N_CAM..][..N_CAM];
            let pt = &points[obs[2 * i + 1] * 3..obs[2 * i + 1] * 3 + 3];
            let mut shifted = [0.0; 3];
            for k in 0..3 { shifted[k] = pt[k] - cam[3 + k]; }
            let mut rotated = [0.0; 3];
            rodrigues(&cam[..3], &shifted, &mut rotated);
            let (x, y) = (rotated[0] / rotated[2], rotated[1] / rotated[2]);
            let rsq = x * x + y * y;
            let l = 1.0 + cam[9] * rsq + cam[10] * rsq * rsq;
            let (u, v) = (x * l * cam[6] + cam[7], y * l * cam[6] + cam[8]);
            err[2 * i] = w[i] * (u - feats[2 * i]);
            err[2 * i + 1] = w[i] * (v - feats[2 * i + 1]);
        }
    }
    with (cams = (0..22).map(|k| 0.1 + 0.03 * k as f64).collect::<Vec<f64>>(), points = vec![1.0, 2.0, 3.0, -1.0, 0.5, 4.0],
          obs = vec![0usize, 1, 1, 0, 0, 0], feats = vec![0.1; 6], w = vec![1.0, 0.5, 2.0], err = vec![0.0; 6]);

    fn mixture(alphas: &[f64], means: &[f64], icf: &[f64], x: &[f64], gamma: f64, m: i32, n: usize, d: usize, k: usize) -> f64 {
        fn logsumexp(x: &[f64]) -> f64 {
            let mut mx = x[0];
            for i in 1..x.len() { if x[i] > mx { mx = x[i]; } }
            let mut s = 0.0;
            for i in 0..x.len() { s += (x[i] - mx).exp(); }
            s.ln() + mx
        }
        fn qtimesx(d: usize, q: &[f64], l: &[f64], x: &[f64], out: &mut [f64]) {
            for i in 0..d { out[i] = q[i] * x[i]; }
            let mut p = 0;
            for i in 0..d { for j in i + 1..d { out[j] += l[p] * x[i]; p += 1; } }
        }
        let icf_sz = d * (d + 1) / 2;
        let mut qd = vec![vec![0.0; d]; k];
        let mut sum_q = vec![0.0; k];
        for a in 0..k {
            for i in 0..d { let q = icf[a * icf_sz + i]; sum_q[a] += q; qd[a][i] = q.exp(); }
        }
        let mut xc = vec![0.0; d];
        let mut qx = vec![0.0; d];
        let mut term = vec![0.0; k];
        let mut total = 0.0;
        for i in 0..n {
            for a in 0..k {
                for j in 0..d { xc[j] = x[i * d + j] - means[a * d + j]; }
                qtimesx(d, &qd[a], &icf[a * icf_sz + d..(a + 1) * icf_sz], &xc, &mut qx);
                let mut sq = 0.0;
                for j in 0..d { sq += qx[j].powi(2); }
                term[a] = alphas[a] + sum_q[a] - 0.5 * sq;
            }
            total += logsumexp(&term);
        }
        let lse = logsumexp(alphas);
        let mut prior = 0.0;
        for a in 0..k {
            let mut fro = 0.0;
            for i in 0..d { fro += qd[a][i] * qd[a][i]; }
            for i in d..icf_sz { fro += icf[a * icf_sz + i] * icf[a * icf_sz + i]; }
            prior += 0.5 * gamma * gamma * fro - m as f64 * sum_q[a];
        }
        -(n as f64 * d as f64 * 0.5 * (2.0 * std::f64::consts::PI).ln()) + total - n as f64 * lse + prior
    }
    with (alphas = vec![0.3, -0.2], means = vec![0.1, 0.2, -0.3, 0.4], icf = vec![0.1, -0.2, 0.3, 0.2, 0.1, -0.4],
          x = vec![1.0, 0.5, -0.2, 0.7, 0.9, -1.1], gamma = 1.2, m = 2, n = 3usize, d = 2usize, k = 2usize);

    fn lstm_step(w: &[f64], h: &mut [f64], c: &mut [f64], x: &[f64], steps: usize) -> f64 {
        fn sigmoid(x: f64) -> f64 { 1.0 / (1.0 + (-x).exp()) }
        let n = h.len();
        let mut loss = 0.0;
        for t in 0..steps {
            let mut gates = vec![0.0; 4 * n];
            for g in 0..4 {
                for j in 0..n {
                    let s = w[g * n + j] * x[t * n + j] + w[(4 + g) * n + j] * h[j];
                    gates[g * n + j] = if g == 3 { s.tanh() } else { sigmoid(s) };
                }
            }
            let (ifo, change) = gates.split_at(3 * n);
            for j in 0..n {
                c[j] = c[j] * ifo[j] + ifo[n + j] * change[j];
                h[j] = ifo[2 * n + j] * c[j].tanh();
                loss += h[j] * h[j];
            }
        }
        loss / (steps * n) as f64
    }
    with (w = (0..16).map(|k| 0.3 - 0.05 * k as f64).collect::<Vec<f64>>(), h = vec![0.1, -0.2], c = vec![0.3, 0.4], x = vec![1.0, 2.0, -1.0, 0.5, 0.25, 0.75], steps = 3usize);

    fn lennard_jones(pos: &[[f64; 3]], eps: f64, sigma: &f64, cutoff: f64, box_len: f64) -> f64 {
        let rc2 = cutoff * cutoff;
        let mut energy = 0.0;
        for i in 0..pos.len() {
            for j in (i + 1)..pos.len() {
                let mut r2 = 0.0;
                for k in 0..3 {
                    let mut d = pos[i][k] - pos[j][k];
                    d -= box_len * (d / box_len).round();
                    r2 += d * d;
                }
                if r2 > rc2 { continue; }
                let s6 = (sigma * sigma / r2).powi(3);
                energy += 4.0 * eps * (s6 * s6 - s6);
            }
        }
        energy
    }
    with (pos = vec![[0.0, 0.0, 0.0], [1.1, 0.2, 0.0], [0.3, 1.2, 0.5], [4.8, 0.1, 0.2]], eps = 1.5, sigma = 1.0, cutoff = 2.0, box_len = 5.0);

    fn wave_equation(c: &[f64], u0: &[f64], nx: usize, ny: usize, nt: usize, dt: f64) -> f64 {
        let idx_max = nx * ny;
        assert_eq!(u0.len(), idx_max);
        let mut prev = u0.to_vec();
        let mut cur = u0.to_vec();
        let mut next = vec![0.0; idx_max];
        let mut misfit = 0.0;
        for t in 0..nt {
            for i in 1..nx - 1 {
                for j in 1..ny - 1 {
                    let p = i * ny + j;
                    let lap = cur[p - 1] + cur[p + 1] + cur[p - ny] + cur[p + ny] - 4.0 * cur[p];
                    next[p] = 2.0 * cur[p] - prev[p] + dt * dt * c[p] * c[p] * lap;
                }
            }
            std::mem::swap(&mut prev, &mut cur);
            std::mem::swap(&mut cur, &mut next);
            let probe = cur[ny + 1 + t % 2];
            misfit += probe * probe;
        }
        misfit
    }
    with (c = vec![0.5; 16], u0 = (0..16).map(|k| (k as f64).sin()).collect::<Vec<f64>>(), nx = 4usize, ny = 4usize, nt = 3usize, dt = 0.1);

    fn cholesky(a: &[f64], n: usize) -> f64 {
        let mut l = vec![vec![0.0; n]; n];
        let mut logdet = 0.0;
        for i in 0..n {
            for j in 0..=i {
                let mut s = a[i * n + j];
                for k in 0..j { s -= l[i][k] * l[j][k]; }
                if i == j {
                    assert!(s > 0.0, "not positive definite");
                    l[i][i] = s.sqrt();
                    logdet += 2.0 * l[i][i].ln();
                } else {
                    l[i][j] = s / l[j][j];
                }
            }
        }
        logdet
    }
    with (a = vec![4.0, 1.0, 0.5, 1.0, 3.0, 0.2, 0.5, 0.2, 2.0], n = 3usize);
    with (a = vec![4.0, 5.0, 5.0, 1.0], n = 2usize);

    fn gaussian_elimination(a: &[f64], b: &[f64], x: &mut [f64], n: usize) {
        let mut m = a.to_vec();
        let mut r = b.to_vec();
        for k in 0..n {
            let mut piv = k;
            for i in k + 1..n { if m[i * n + k].abs() > m[piv * n + k].abs() { piv = i; } }
            if piv != k {
                for j in 0..n { m.swap(k * n + j, piv * n + j); }
                r.swap(k, piv);
            }
            for i in k + 1..n {
                let f = m[i * n + k] / m[k * n + k];
                for j in k..n { m[i * n + j] -= f * m[k * n + j]; }
                r[i] -= f * r[k];
            }
        }
        for i in (0..n).rev() {
            let mut s = r[i];
            for j in i + 1..n { s -= m[i * n + j] * x[j]; }
            x[i] = s / m[i * n + i];
        }
    }
    with (a = vec![1.0, 2.0, 3.0, 4.0, 1.0, 0.5, 2.0, -1.0, 5.0], b = vec![1.0, 2.0, 3.0], x = vec![0.0; 3], n = 3usize);

    fn softmax_cross_entropy(logits: &[f32], labels: &[u8], n: usize, classes: usize) -> f32 {
        let mut loss = 0f32;
        for i in 0..n {
            let row = &logits[i * classes..(i + 1) * classes];
            let mut max = f32::NEG_INFINITY;
            for j in 0..classes { max = max.max(row[j]); }
            let mut z = 0.0;
            for j in 0..classes { z += (row[j] - max).exp(); }
            loss -= row[labels[i] as usize] - max - z.ln();
        }
        loss / n as f32
    }
    with (logits = vec![0.1f32, 0.7, -0.3, 1.2, 0.0, 0.4], labels = vec![2u8, 0], n = 2usize, classes = 3usize);

    fn neural_network(params: &[f64], sizes: &[usize], input: &[f64], target: &[f64]) -> f64 {
        let mut act = input.to_vec();
        let mut offset = 0;
        for layer in 0..sizes.len() - 1 {
            let (n_in, n_out) = (sizes[layer], sizes[layer + 1]);
            let weights = &params[offset..offset + n_in * n_out];
            let bias = &params[offset + n_in * n_out..offset + n_in * n_out + n_out];
            let mut out = vec![0.0; n_out];
            for o in 0..n_out {
                let mut s = bias[o];
                for i in 0..n_in { s += weights[o * n_in + i] * act[i]; }
                out[o] = if layer + 2 < sizes.len() { s.max(0.0) } else { s };
            }
            act = out;
            offset += (n_in + 1) * n_out;
        }
        let mut loss = 0.0;
        for i in 0..target.len() { let d = act[i] - target[i]; loss += d * d; }
        loss
    }
    with (params = (0..17).map(|k| 0.9 - 0.1 * k as f64).collect::<Vec<f64>>(), sizes = vec![2usize, 3, 2], input = vec![0.5, -0.7], target = vec![0.1, 0.2]);

    fn kalman(z: &[f64], q: f64, r: f64) -> f64 {
        let (mut x, mut p) = (0.0, 1.0);
        let mut ll = 0.0;
        for t in 0..z.len() {
            let pp = p + q;
            let s = pp + r;
            let v = z[t] - x;
            ll += -0.5 * (v * v / s + s.ln());
            let k = pp / s;
            (x, p) = (x + k * v, (1.0 - k) * pp);
        }
        ll
    }
    with (z = vec![0.3, 0.1, -0.4], q = 0.1, r = 0.5);

    fn option_tree(s0: f64, k: f64, r: f64, sigma: f64, n: usize) -> f64 {
        let dt = 1.0 / n as f64;
        let u = (sigma * dt.sqrt()).exp();
        let d = u.recip();
        let p = ((r * dt).exp() - d) / (u - d);
        let disc = (-r * dt).exp();
        let mut v = vec![0.0; n + 1];
        for i in 0..=n { v[i] = (s0 * u.powi(2 * i as i32 - n as i32) - k).max(0.0); }
        for step in (0..n).rev() {
            for i in 0..=step {
                let hold = disc * (p * v[i + 1] + (1.0 - p) * v[i]);
                let now = s0 * u.powi(2 * i as i32 - step as i32) - k;
                v[i] = hold.max(now);
            }
        }
        v[0]
    }
    with (s0 = 100.0, k = 95.0, r = 0.05, sigma = 0.2, n = 5usize);

    fn mesh_smoothing(verts: &mut [f64], edges: &[[u32; 2]], weights: &[f64], iters: u32) -> f64 {
        let nv = verts.len() / 2;
        for _it in 0..iters {
            let mut acc = vec![[0.0f64; 2]; nv];
            let mut deg = vec![0u32; nv];
            for e in 0..edges.len() {
                let [a, b] = edges[e];
                let (a, b) = (a as usize, b as usize);
                for k in 0..2 {
                    acc[a][k] += weights[e] * verts[2 * b + k];
                    acc[b][k] += weights[e] * verts[2 * a + k];
                }
                deg[a] += 1;
                deg[b] += 1;
            }
            for v in 0..nv {
                if deg[v] == 0 { continue; }
                for k in 0..2 { verts[2 * v + k] = 0.5 * verts[2 * v + k] + 0.5 * acc[v][k] / deg[v] as f64; }
            }
        }
        let mut energy = 0.0;
        for v in 0..nv { energy += verts[2 * v].hypot(verts[2 * v + 1]); }
        energy
    }
    with (verts = vec![0.1, 0.2, 1.0, 0.3, 0.5, 1.5, 9.0, 9.0], edges = vec![[0u32, 1], [1, 2], [2, 0]], weights = vec![1.0, 0.5, 0.8], iters = 2u32);

    fn spline(knots: &[f64], coef: &[f64], xs: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in 0..xs.len() {
            let x = xs[i];
            let mut seg = 0usize;
            for k in 0..knots.len() - 1 { if x >= knots[k] { seg = k; } }
            let t = (x - knots[seg]) / (knots[seg + 1] - knots[seg]);
            let c = &coef[seg * 4..seg * 4 + 4];
            s += c[0] + t * (c[1] + t * (c[2] + t * c[3]));
        }
        s
    }
    with (knots = vec![0.0, 1.0, 2.5], coef = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], xs = vec![0.5, 1.5, 2.0]);

    fn advection_upwind(q: &[f64], vel: &[f64], out: &mut [f64], dx: f64, dt: f64) {
        let n = q.len();
        for i in 0..n {
            let im = if i == 0 { n - 1 } else { i - 1 };
            let ip = (i + 1) % n;
            let flux_l = if vel[i] > 0.0 { vel[i] * q[im] } else { vel[i] * q[i] };
            let flux_r = match vel[ip] > 0.0 { true => vel[ip] * q[i], false => vel[ip] * q[ip] };
            out[i] = q[i] - dt / dx * (flux_r - flux_l);
        }
    }
    with (q = vec![1.0, 2.0, 4.0, 3.0], vel = vec![0.5, -0.5, 1.0, -1.0], out = vec![0.0; 4], dx = 0.1, dt = 0.01);

    fn quaternion(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
        fn normalize(q: [f64; 4]) -> [f64; 4] {
            let mut n = 0.0;
            for i in 0..4 { n += q[i] * q[i]; }
            let n = n.sqrt();
            [q[0] / n, q[1] / n, q[2] / n, q[3] / n]
        }
        let [w, x, y, z] = normalize(q);
        let r = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let mut out = [0.0; 3];
        for i in 0..3 { for j in 0..3 { out[i] += r[i][j] * v[j]; } }
        out
    }
    with (q = [0.9, 0.1, -0.3, 0.2], v = [1.0, 2.0, 3.0]);
}
