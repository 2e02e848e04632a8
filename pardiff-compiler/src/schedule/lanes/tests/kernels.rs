//! The gradients that blocks are made for, and what is chosen for others.

use super::{Arg, Lifted, SIZES, assert_same, assert_text, lifted};

/// The fused gradient of a mixture model, as replay makes it.
const MIXTURE: &str = "
        fn gmm(alphas: in f64[_], d_alphas: inout f64[_], means: in f64[_], d_means: inout f64[_],
            icf: in f64[_], d_icf: inout f64[_], diagonal: in f64[_], d_diagonal: inout f64[_],
            x: in f64[_], n: in usize, d: in usize, k: in usize, seed: in f64) -> likelihood: f64
          likelihood = 0.0
          for i in 0..n
            scope largest: f64, sum: f64, term: f64[k], centred: f64[k, d], y: f64[k, d], running: f64[trip_count(1, k, 1)],
                  d_term: f64[k], d_largest: f64, d_sum: f64, d_centred: f64[d], d_y: f64[d]
              for c in 0..k
                scope square: f64
                  for j in 0..d
                    check i * d + j < len(x) index \"x\" \"x[i * d + j]\"
                    centred[c, j] = x[i * d + j] - means[c * d + j]
                    y[c, j] = diagonal[c * d + j] * centred[c, j]
                  for a in 0..d
                    for b in a + 1..d
                      check c * (d * (d - 1) / 2) + (a * d - (a * a + a) / 2) + (b - (a + 1)) < len(icf) index \"icf\" \"icf[p]\"
                      y[c, b] += icf[c * (d * (d - 1) / 2) + (a * d - (a * a + a) / 2) + (b - (a + 1))] * centred[c, a]
                  square = 0.0
                  for j.2 in 0..d
                    square += y[c, j.2] * y[c, j.2]
                  term[c] = alphas[c] - 0.5 * square
              largest = term[0]
              for c.2 in 1..k
                running[c.2 - 1] = largest
                largest max= term[c.2]
              sum = 0.0
              for c.3 in 0..k
                sum += exp(term[c.3] - largest)
              likelihood += largest + ln(sum)
              d_largest = seed
              d_sum = seed / sum
              for c.4 in 0..k down
                scope t: f64
                  t = d_sum * exp(term[c.4] - largest)
                  d_term[c.4] = t
                  d_largest += -t
              for c.5 in 1..k down
                scope t.2: f64
                  t.2 = d_largest
                  d_largest = 0.0
                  if (running[c.5 - 1] >= term[c.5]) | is_nan(term[c.5])
                    d_largest += t.2
                  else
                    d_term[c.5] += t.2
              d_term[0] += d_largest
              for c.6 in 0..k down
                scope d_square: f64
                  d_square = 0.0
                  scope t.3: f64
                    t.3 = d_term[c.6]
                    d_alphas[c.6] += t.3
                    d_square += -t.3 * 0.5
                  for j.3 in 0..d down
                    d_y[j.3] = 0.0
                    d_centred[j.3] = 0.0
                    d_y[j.3] += d_square * y[c.6, j.3]
                    d_y[j.3] += d_square * y[c.6, j.3]
                  for a.2 in 0..d down
                    for b.2 in a.2 + 1..d down
                      scope t.4: f64
                        t.4 = d_y[b.2]
                        d_icf[c.6 * (d * (d - 1) / 2) + (a.2 * d - (a.2 * a.2 + a.2) / 2) + (b.2 - (a.2 + 1))] += t.4 * centred[c.6, a.2]
                        d_centred[a.2] += t.4 * icf[c.6 * (d * (d - 1) / 2) + (a.2 * d - (a.2 * a.2 + a.2) / 2) + (b.2 - (a.2 + 1))]
                  for j.4 in 0..d down
                    scope t.5: f64
                      t.5 = d_y[j.4]
                      d_diagonal[c.6 * d + j.4] += t.5 * centred[c.6, j.4]
                      d_centred[j.4] += t.5 * diagonal[c.6 * d + j.4]
                    scope t.6: f64
                      t.6 = d_centred[j.4]
                      d_means[c.6 * d + j.4] += -t.6
";

#[test]
fn a_mixture_model_runs_in_blocks() {
    let (before, after, made) = lifted(MIXTURE);
    for n in SIZES {
        let (d, k) = (3, 4);
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "d" => Arg::Size(d),
            "k" => Arg::Size(k),
            "seed" => Arg::Number(0.5),
            "x" => Arg::Floats(n * d),
            "alphas" | "d_alphas" => Arg::Floats(k),
            "icf" | "d_icf" => Arg::Floats(k * d * (d - 1) / 2),
            _ => Arg::Floats(k * d),
        };
        assert_same(&before, &after, &args);
    }
    assert!(matches!(made, Lifted::Blocks { .. }), "{made:?}");
}

/// Poses against pairs of atoms: two loops with a body full of conditions, forward and reverse in one.
const DOCKING: &str = "
        fn docking(pose: in f64[_], d_pose: inout f64[_], ligand: in f64[_], protein: in f64[_], kind: in usize[_],
            d_radius: inout f64[_], radius: in f64[_], n: in usize, p: in usize, q: in usize) -> energy: f64
          energy = 0.0
          for i in 0..n
            scope s: f64, r: f64[3], d_r: f64[3], e: f64
              for k in 0..3
                check k * n + i < len(pose) index \"pose\" \"pose[k * n + i]\"
                r[k] = pose[k * n + i]
                d_r[k] = 0.0
              e = 0.0
              for u in 0..p
                scope at: f64[3], d_at: f64[3]
                  for k.2 in 0..3
                    at[k.2] = r[k.2] * ligand[u * 3 + k.2]
                    d_at[k.2] = 0.0
                  for v in 0..q
                    scope dist: f64, square: f64, rr: f64, d_dist: f64
                      square = 0.0
                      for k.3 in 0..3
                        square += (at[k.3] - protein[v * 3 + k.3]) * (at[k.3] - protein[v * 3 + k.3])
                      dist = sqrt(square)
                      rr = radius[u] + radius[v]
                      d_dist = 0.0
                      if dist < rr
                        e += 1.0 - dist / rr
                        d_dist += -1.0 / rr
                        d_radius[v] += dist / (rr * rr)
                      if kind[v] == 3
                        e += dist
                        d_dist += 1.0
                      for k.4 in 0..3
                        d_at[k.4] += d_dist * (at[k.4] - protein[v * 3 + k.4]) / dist
                  for k.5 in 0..3
                    d_r[k.5] += d_at[k.5] * ligand[u * 3 + k.5]
              energy += e
              for k.6 in 0..3
                d_pose[k.6 * n + i] += d_r[k.6]
";

#[test]
fn pairs_of_atoms_share_one_lane_loop() {
    let (before, after, made) = lifted(DOCKING);
    // forward and reverse of a pair in one loop, what they hand to each other in registers
    assert_text(
        &after,
        "
              for l.3 in 0..w lanes(128)
                scope dist: f64, square: f64, d_dist: f64
                  square = 0.0
                  for k.3 in 0..3
        ",
    );
    for n in SIZES {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "p" => Arg::Size(2),
            "q" => Arg::Size(3),
            "pose" | "d_pose" => Arg::Floats(3 * n),
            "kind" => Arg::Indices(vec![3, 1, 3]),
            "ligand" => Arg::Floats(6),
            "protein" => Arg::Floats(9),
            _ => Arg::Floats(3),
        };
        assert_same(&before, &after, &args);
    }
    assert!(matches!(made, Lifted::Blocks { .. }), "{made:?}");
}

/// Observations of points by cameras, both behind an index.
const OBSERVATIONS: &str = "
        fn ba(cams: in f64[_], d_cams: inout f64[_], x: in f64[_], d_x: inout f64[_], ci: in usize[_], pi: in usize[_],
            w: in f64[_], d_w: inout f64[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope a: usize, c: usize, p: f64[3], e: f64, d_e: f64, d_p: f64[3], w_value: f64, cams_value: f64
              check i < len(ci) index \"ci\" \"ci[i]\"
              a = ci[i]
              check i < len(pi) index \"pi\" \"pi[i]\"
              c = pi[i]
              for k in 0..3
                check a * 4 + k < len(cams) index \"cams\" \"cams[a * 4 + k]\"
                check c * 3 + k < len(x) index \"x\" \"x[c * 3 + k]\"
                p[k] = x[c * 3 + k] - cams[a * 4 + k]
              check a * 4 + 3 < len(cams) index \"cams\" \"cams[a * 4 + 3]\"
              e = w[i] * (p[0] * p[1] + p[2] * cams[a * 4 + 3])
              total += e * e
              d_e = 2.0 * e
              d_w[i] += d_e * (p[0] * p[1] + p[2] * cams[a * 4 + 3])
              d_p[0] = d_e * w[i] * p[1]
              d_p[1] = d_e * w[i] * p[0]
              d_p[2] = d_e * w[i] * cams[a * 4 + 3]
              d_cams[a * 4 + 3] += d_e * w[i] * p[2]
              for k.2 in 0..3
                d_x[c * 3 + k.2] += d_p[k.2]
                d_cams[a * 4 + k.2] += -d_p[k.2]
";

#[test]
fn observations_behind_an_index_run_in_one_lane_loop() {
    let (before, after, made) = lifted(OBSERVATIONS);
    assert_text(
        &after,
        "
      check b + (w.2 - 1) < len(pi) index \"pi\" \"pi[i]\"
      for l in 0..w.2 lanes(128)
        scope a: usize, c: usize, p: f64[3], e: f64, d_e: f64, d_p: f64[3], w_value: f64, cams_value: f64
          a = ci[b + l]
        ",
    );
    for n in SIZES {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "ci" => Arg::Indices((0..n).map(|i| i * i % 3).collect()),
            "pi" => Arg::Indices((0..n).map(|i| i * 7 % 5).collect()),
            "cams" | "d_cams" => Arg::Floats(12),
            "x" | "d_x" => Arg::Floats(15),
            _ => Arg::Floats(n),
        };
        assert_same(&before, &after, &args);
    }
    assert!(matches!(made, Lifted::Blocks { .. }), "{made:?}");
}

/// A product of a matrix and a vector, forward and reverse, row after row.
const MATRIX: &str = "
        fn matvec(a: in f64[_], d_a: inout f64[_], x: in f64[_], d_x: inout f64[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope y: f64, d_y: f64
              y = 0.0
              for j in 0..n
                check i * n + j < len(a) index \"a\" \"a[i * n + j]\"
                y += a[i * n + j] * x[j]
              total += y * y
              d_y = 2.0 * y
              for j.2 in 0..n down
                d_a[i * n + j.2] += d_y * x[j.2]
                d_x[j.2] += d_y * a[i * n + j.2]
";

#[test]
fn rows_of_a_matrix_run_in_lanes_over_their_columns() {
    let (before, after, made) = lifted(MATRIX);
    assert_text(
        &after,
        "
      y = 0.0
      if 0 < n
        check i * n + (n - 1) < len(a) index \"a\" \"a[i * n + j]\"
      for j in 0..n lanes(128)
        y += a[i * n + j] * x[j]
      total += y * y
      d_y = 2.0 * y
      for j.2 in 0..n lanes(128)
        d_a[i * n + j.2] += d_y * x[j.2]
        d_x[j.2] += d_y * a[i * n + j.2]
        ",
    );
    for n in [0, 1, 7, 8, 9, 30] {
        for short in [0, 1] {
            let args = |name: &str| match name {
                "n" => Arg::Size(n),
                "a" => Arg::Floats((n * n).saturating_sub(short)),
                "d_a" => Arg::Floats(n * n),
                _ => Arg::Floats(n),
            };
            assert_same(&before, &after, &args);
        }
    }
    assert!(matches!(&made, Lifted::Inner { loops: 2, .. }), "{made:?}");
}

/// The same for a sparse matrix.
const SPARSE: &str = "
        fn spmv(ptr: in usize[_], col: in usize[_], v: in f64[_], d_v: inout f64[_], x: in f64[_], d_x: inout f64[_],
            n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope y: f64, d_y: f64
              y = 0.0
              for k in ptr[i]..ptr[i + 1]
                y += v[k] * x[col[k]]
              total += y * y
              d_y = 2.0 * y
              for k.2 in ptr[i]..ptr[i + 1] down
                d_v[k.2] += d_y * x[col[k.2]]
                d_x[col[k.2]] += d_y * v[k.2]
";

#[test]
fn short_sparse_rows_stay_as_they_are() {
    let (before, after, made) = lifted(SPARSE);
    assert_eq!(before.to_string(), after.to_string());
    assert!(matches!(&made, Lifted::Serial { .. }), "{made:?}");
}
