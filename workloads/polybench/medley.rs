//! A recursive filter, shortest paths, and how a strand of RNA folds.

use pardiff::differentiate;

/// A picture of `w` by `h`, smoothed in both directions by the recursive filter of Deriche with the coefficient `alpha`.
#[differentiate(wrt(picture, alpha))]
pub fn deriche(picture: &[f64], alpha: f64, w: usize, h: usize) -> f64 {
    let decay = (-alpha).exp();
    let k = (1.0 - decay) * (1.0 - decay) / (1.0 + 2.0 * alpha * decay - (2.0 * alpha).exp());
    let (now, last) = (k, k * decay * (alpha - 1.0));
    let (next, second) = (k * decay * (alpha + 1.0), -k * (-2.0 * alpha).exp());
    let (b1, b2) = (2.0f64.powf(-alpha), -(-2.0 * alpha).exp());

    let mut forward = vec![0.0; w * h];
    let mut backward = vec![0.0; w * h];
    for i in 0..w {
        let (mut x1, mut y1, mut y2) = (0.0, 0.0, 0.0);
        for j in 0..h {
            let x = picture[i * h + j];
            let y = now * x + last * x1 + b1 * y1 + b2 * y2;
            forward[i * h + j] = y;
            (x1, y2, y1) = (x, y1, y);
        }
    }
    for i in 0..w {
        let (mut x1, mut x2, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0);
        for j in (0..h).rev() {
            let y = next * x1 + second * x2 + b1 * y1 + b2 * y2;
            backward[i * h + j] = y;
            (x2, x1, y2, y1) = (x1, picture[i * h + j], y1, y);
        }
    }
    let mut smooth = vec![0.0; w * h];
    for c in 0..w * h {
        smooth[c] = forward[c] + backward[c];
    }
    for j in 0..h {
        let (mut x1, mut y1, mut y2) = (0.0, 0.0, 0.0);
        for i in 0..w {
            let x = smooth[i * h + j];
            let y = now * x + last * x1 + b1 * y1 + b2 * y2;
            forward[i * h + j] = y;
            (x1, y2, y1) = (x, y1, y);
        }
    }
    for j in 0..h {
        let (mut x1, mut x2, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0);
        for i in (0..w).rev() {
            let y = next * x1 + second * x2 + b1 * y1 + b2 * y2;
            backward[i * h + j] = y;
            (x2, x1, y2, y1) = (x1, smooth[i * h + j], y1, y);
        }
    }
    let mut loss = 0.0;
    for c in 0..w * h {
        let out = forward[c] + backward[c];
        loss += 0.5 * out * out;
    }
    loss
}

/// The lengths of the shortest paths between all pairs of `n` nodes, from those of the edges.
#[differentiate]
pub fn floyd_warshall(edges: &[f64], n: usize) -> f64 {
    let mut path = edges.to_vec();
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                let through = path[i * n + k] + path[k * n + j];
                if through < path[i * n + j] {
                    path[i * n + j] = through;
                }
            }
        }
    }
    path.iter().map(|x| 0.5 * x * x).sum()
}

/// The best scores of the folds of all parts of a strand (Nussinov): `bond` has the score of each pair of bases, `start` what the
/// parts have before. Neighbours make no bonds.
#[differentiate(wrt(start, bond))]
pub fn nussinov(start: &[f64], bond: &[f64], bases: &[u8]) -> f64 {
    let n = bases.len();
    let mut score = start.to_vec();
    for i in (0..n).rev() {
        for j in i + 1..n {
            let mut best = score[i * n + j].max(score[i * n + j - 1]);
            if i + 1 < n {
                best = best.max(score[(i + 1) * n + j]);
                let mut inner = score[(i + 1) * n + j - 1];
                if i + 1 < j {
                    inner += bond[4 * bases[i] as usize + bases[j] as usize];
                }
                best = best.max(inner);
            }
            for k in i + 1..j {
                best = best.max(score[i * n + k] + score[(k + 1) * n + j]);
            }
            score[i * n + j] = best;
        }
    }
    let mut loss = 0.0;
    for i in 0..n {
        for j in i..n {
            loss += 0.5 * score[i * n + j] * score[i * n + j];
        }
    }
    loss
}
