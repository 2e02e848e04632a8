//! ADBench LSTM (diagonal weights, logsumexp + 2); gradient order main(2l,4b), extra(3,b). Sequential in time and between layers: layers are
//! skewed (layer i works on time tick - i), so that one tick is 64*l independent lanes; b is padded to 16. Gates are stored (direct-indexed
//! tape, one row per time and layer); the reverse has no transcendental function. The output layer is hoisted out of the time loop.
use crate::math;
use crate::scratch::*;
use crate::{Constants, Work};
const B: usize = 16;
pub struct Lstm {
    l: usize,
    c: usize,
    b: usize,
    state: Vec<f64>,
    seq: Vec<f64>,
}
type R = [f64; B];
/// forget, in, out gates, change, tanh(cell), cell, hidden
type Cell = [R; 7];
impl Lstm {
    /// Sizes: layers, characters (one more than steps), width. Floats: state, sequence.
    pub fn new(c: Constants) -> Lstm {
        let [l, n, b] = c.sizes[..] else { panic!("lstm takes three sizes") };
        let [state, seq] = <[Vec<f64>; 2]>::try_from(c.floats).expect("lstm takes two arrays");
        assert!(l == 2 || l == 4);
        Lstm { l, c: n, b, state, seq }
    }
    fn pad(&self, s: &[f64]) -> R {
        let mut r = [0.0; B];
        r[..self.b].copy_from_slice(&s[..self.b]);
        r
    }
    fn run<const L: usize, const GRAD: bool>(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let (b, n) = (self.b, self.c - 1);
        assert!(b <= B && L == self.l);
        let row = |i: usize, k: usize| self.pad(&p[(i * 4 + k) * b..]);
        let w: [[R; 4]; L] = std::array::from_fn(|i| std::array::from_fn(|k| row(2 * i, k)));
        let bi: [[R; 4]; L] = std::array::from_fn(|i| std::array::from_fn(|k| row(2 * i + 1, k)));
        let ex: [R; 3] = std::array::from_fn(|k| self.pad(&p[8 * L * b + k * b..]));
        let mut sq = Scratch::zeros(self.c * B);
        for t in 0..self.c {
            sq[t * B..t * B + b].copy_from_slice(&self.seq[t * b..t * b + b]);
        }
        let sq = rows_of::<B>(&mut sq, self.c);
        // without GRAD the tape holds two steps per layer only
        let nt = if GRAD { n } else { 2 };
        let mut tp = Scratch::new(L * nt * 7 * B);
        let tape: &mut [Cell] =
            unsafe { std::slice::from_raw_parts_mut(tp.as_mut_ptr() as *mut Cell, L * nt) };
        let mut hs = Scratch::new(n * B);
        let hs = rows_of::<B>(&mut hs, n);
        let mut h: [R; L] = std::array::from_fn(|i| self.pad(&self.state[2 * i * b..]));
        let mut c: [R; L] = std::array::from_fn(|i| self.pad(&self.state[(2 * i + 1) * b..]));
        for tick in 0..n + L - 1 {
            let (lo, hi) = ((tick + 1).saturating_sub(n), (tick + 1).min(L));
            let mut a = [[[0.0; B]; 4]; L];
            let prev = h;
            for i in lo..hi {
                let t = tick - i;
                for k in 0..4 {
                    for x in 0..B {
                        let u = if k % 2 == 1 {
                            prev[i][x]
                        } else if i == 0 {
                            sq[t][x] * ex[0][x]
                        } else {
                            prev[i - 1][x]
                        };
                        let s = u.mul_add(w[i][k][x], bi[i][k][x]);
                        a[i][k][x] = if k == 3 { -2.0 * s } else { -s };
                    }
                }
            }
            let f = unsafe { std::slice::from_raw_parts_mut(a.as_mut_ptr() as *mut f64, L * 4 * B) };
            for x in f {
                *x = 1.0 / (1.0 + math::exp(*x));
            }
            let mut tc = [[0.0; B]; L];
            for i in lo..hi {
                for x in 0..B {
                    a[i][3][x] = 2.0 * a[i][3][x] - 1.0;
                    c[i][x] = c[i][x] * a[i][0][x] + a[i][1][x] * a[i][3][x];
                    tc[i][x] = c[i][x];
                }
            }
            let f = unsafe { std::slice::from_raw_parts_mut(tc.as_mut_ptr() as *mut f64, L * B) };
            for x in f {
                *x = math::tanh(*x);
            }
            for i in lo..hi {
                let t = tick - i;
                for x in 0..B {
                    h[i][x] = a[i][2][x] * tc[i][x];
                }
                if GRAD {
                    tape[t * L + i] = [a[i][0], a[i][1], a[i][2], a[i][3], tc[i], c[i], h[i]];
                }
                if i == L - 1 {
                    hs[t] = h[i];
                }
            }
        }
        // output layer, all times
        let sc = 1.0 / (b as f64 * n as f64);
        let mut tot = 0.0;
        let (mut de1, mut de2) = ([0.0; B], [0.0; B]);
        let mut mask = [0.0; B];
        mask[..b].fill(1.0);
        for t in 0..n {
            let (mut y, mut e) = ([0.0; B], [0.0; B]);
            for x in 0..B {
                y[x] = hs[t][x].mul_add(ex[1][x], ex[2][x]);
                e[x] = math::exp(y[x]) * mask[x];
            }
            let (mut se, mut sv, mut s1) = (2.0, 0.0, 0.0);
            for x in 0..B {
                se += e[x];
                sv += sq[t + 1][x] * y[x];
                s1 += sq[t + 1][x];
            }
            tot -= sv - s1 * se.ln();
            if GRAD {
                let f = s1 / se;
                for x in 0..B {
                    let dy = -sc * (sq[t + 1][x] - f * e[x]);
                    de1[x] += dy * hs[t][x];
                    de2[x] += dy;
                    hs[t][x] = dy * ex[1][x];
                }
            }
        }
        if GRAD {
            let h0: [R; L] = std::array::from_fn(|i| self.pad(&self.state[2 * i * b..]));
            let c0: [R; L] = std::array::from_fn(|i| self.pad(&self.state[(2 * i + 1) * b..]));
            let mut dw = [[[0.0; B]; 4]; L];
            let mut db = [[[0.0; B]; 4]; L];
            let (mut dh, mut dc, mut din) = ([[0.0; B]; L], [[0.0; B]; L], [[0.0; B]; L]);
            let mut de0 = [0.0; B];
            for tick in (0..n + L - 1).rev() {
                let (lo, hi) = ((tick + 1).saturating_sub(n), (tick + 1).min(L));
                for i in lo..hi {
                    let t = tick - i;
                    let [fg, ig, og, ch, tc, _, _] = &tape[t * L + i];
                    let (cp, hp) = if t == 0 {
                        (&c0[i], &h0[i])
                    } else {
                        (&tape[(t - 1) * L + i][5], &tape[(t - 1) * L + i][6])
                    };
                    let inp: R = if i == 0 {
                        std::array::from_fn(|x| sq[t][x] * ex[0][x])
                    } else {
                        tape[t * L + i - 1][6]
                    };
                    // adjoint of this layer's output: own recurrence + the layer above (same time, done in the tick before)
                    let top = if i == L - 1 { hs[t] } else { din[i + 1] };
                    let mut d = [[0.0; B]; 4];
                    let mut o = [0.0; B];
                    for x in 0..B {
                        let dout = dh[i][x] + top[x];
                        let dcc = dc[i][x] + dout * og[x] * (1.0 - tc[x] * tc[x]);
                        let gf = dcc * cp[x] * fg[x] * (1.0 - fg[x]);
                        let gi = dcc * ch[x] * ig[x] * (1.0 - ig[x]);
                        let go = dout * tc[x] * og[x] * (1.0 - og[x]);
                        let gc = dcc * ig[x] * (1.0 - ch[x] * ch[x]);
                        dc[i][x] = dcc * fg[x];
                        dh[i][x] = gi * w[i][1][x] + gc * w[i][3][x];
                        o[x] = gf * w[i][0][x] + go * w[i][2][x];
                        d[0][x] = gf;
                        d[1][x] = gi;
                        d[2][x] = go;
                        d[3][x] = gc;
                    }
                    for k in 0..4 {
                        let u = if k % 2 == 1 { hp } else { &inp };
                        for x in 0..B {
                            dw[i][k][x] = d[k][x].mul_add(u[x], dw[i][k][x]);
                            db[i][k][x] += d[k][x];
                        }
                    }
                    if i == 0 {
                        for x in 0..B {
                            de0[x] += o[x] * sq[t][x];
                        }
                    }
                    din[i] = o;
                }
            }
            let mut add = |o: usize, s: &R| {
                for x in 0..b {
                    g[o + x] += s[x];
                }
            };
            for i in 0..L {
                for k in 0..4 {
                    add((2 * i * 4 + k) * b, &dw[i][k]);
                    add(((2 * i + 1) * 4 + k) * b, &db[i][k]);
                }
            }
            for (k, s) in [de0, de1, de2].iter().enumerate() {
                add(8 * L * b + k * b, s);
            }
        }
        tot * sc
    }
    fn scalar<const GRAD: bool>(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let (l, b, n) = (self.l, self.b, self.c - 1);
        let sg = |x: f64| 1.0 / (1.0 + (-x).exp());
        let mut st = self.state.clone();
        let (main, ex) = p.split_at(8 * l * b);
        let mut tape = vec![0.0; if GRAD { n * l * b * 8 } else { 0 }]; // f i o ch tc inp hprev cprev
        let mut outs = vec![0.0; if GRAD { n * b } else { 0 }];
        let mut inp = vec![0.0; b];
        let mut tot = 0.0;
        for t in 0..n {
            for x in 0..b {
                inp[x] = self.seq[t * b + x] * ex[x];
            }
            for i in 0..l {
                let w = &main[2 * i * 4 * b..][..4 * b];
                let bi = &main[(2 * i + 1) * 4 * b..][..4 * b];
                for x in 0..b {
                    let (h, c) = (st[2 * i * b + x], st[(2 * i + 1) * b + x]);
                    let f = sg(inp[x] * w[x] + bi[x]);
                    let ig = sg(h * w[b + x] + bi[b + x]);
                    let o = sg(inp[x] * w[2 * b + x] + bi[2 * b + x]);
                    let ch = (h * w[3 * b + x] + bi[3 * b + x]).tanh();
                    let cn = c * f + ig * ch;
                    let tc = cn.tanh();
                    if GRAD {
                        tape[((t * l + i) * b + x) * 8..][..8]
                            .copy_from_slice(&[f, ig, o, ch, tc, inp[x], h, c]);
                    }
                    inp[x] = o * tc;
                    st[2 * i * b + x] = inp[x];
                    st[(2 * i + 1) * b + x] = cn;
                }
            }
            let (mut se, mut sv, mut s1) = (2.0, 0.0, 0.0);
            for x in 0..b {
                let y = inp[x] * ex[b + x] + ex[2 * b + x];
                se += y.exp();
                sv += self.seq[(t + 1) * b + x] * y;
                s1 += self.seq[(t + 1) * b + x];
                if GRAD {
                    outs[t * b + x] = inp[x];
                }
            }
            tot -= sv - s1 * se.ln();
        }
        let sc = 1.0 / (b as f64 * n as f64);
        if GRAD {
            let (gm, ge) = g.split_at_mut(8 * l * b);
            let (mut dh, mut dc, mut din) = (vec![0.0; l * b], vec![0.0; l * b], vec![0.0; b]);
            for t in (0..n).rev() {
                let (mut se, mut s1) = (2.0, 0.0);
                for x in 0..b {
                    se += (outs[t * b + x] * ex[b + x] + ex[2 * b + x]).exp();
                    s1 += self.seq[(t + 1) * b + x];
                }
                for x in 0..b {
                    let y = outs[t * b + x] * ex[b + x] + ex[2 * b + x];
                    let dy = -sc * (self.seq[(t + 1) * b + x] - s1 / se * y.exp());
                    ge[b + x] += dy * outs[t * b + x];
                    ge[2 * b + x] += dy;
                    din[x] = dy * ex[b + x];
                }
                for i in (0..l).rev() {
                    let w = &main[2 * i * 4 * b..][..4 * b];
                    let (gw, gb) = gm[2 * i * 4 * b..][..8 * b].split_at_mut(4 * b);
                    for x in 0..b {
                        let q: &[f64; 8] = tape[((t * l + i) * b + x) * 8..][..8].try_into().unwrap();
                        let [f, ig, o, ch, tc, u, h, c] = *q;
                        let d = dh[i * b + x] + din[x];
                        let e = dc[i * b + x] + d * o * (1.0 - tc * tc);
                        let (gf, gi, go, gc) = (
                            e * c * f * (1.0 - f),
                            e * ch * ig * (1.0 - ig),
                            d * tc * o * (1.0 - o),
                            e * ig * (1.0 - ch * ch),
                        );
                        dc[i * b + x] = e * f;
                        dh[i * b + x] = gi * w[b + x] + gc * w[3 * b + x];
                        din[x] = gf * w[x] + go * w[2 * b + x];
                        gw[x] += gf * u;
                        gw[b + x] += gi * h;
                        gw[2 * b + x] += go * u;
                        gw[3 * b + x] += gc * h;
                        gb[x] += gf;
                        gb[b + x] += gi;
                        gb[2 * b + x] += go;
                        gb[3 * b + x] += gc;
                    }
                }
                for x in 0..b {
                    ge[x] += din[x] * self.seq[t * b + x];
                }
            }
        }
        tot * sc
    }
}
impl Work for Lstm {
    fn naive(&self, p: &[f64]) -> f64 {
        self.scalar::<false>(p, &mut [])
    }
    fn fast(&self, p: &[f64]) -> f64 {
        if self.l == 2 { self.run::<2, false>(p, &mut []) } else { self.run::<4, false>(p, &mut []) }
    }
    fn grad_scalar(&self, p: &[f64], g: &mut [f64]) -> f64 {
        self.scalar::<true>(p, g)
    }
    fn grad_fast(&self, p: &[f64], g: &mut [f64]) -> f64 {
        if self.l == 2 { self.run::<2, true>(p, g) } else { self.run::<4, true>(p, g) }
    }
}
