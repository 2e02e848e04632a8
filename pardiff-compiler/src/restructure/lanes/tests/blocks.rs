//! Loops over blocks: what they look like, and that they compute the same.

use super::{Arg, Lifted, SIZES, assert_same, assert_text, lifted};

#[test]
fn a_loop_runs_outside_and_its_statements_in_lanes() {
    let (before, after, made) = lifted(
        "
        fn f(x: in f64[_], e: in f64[_], d_e: inout f64[_], n: in usize, d: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope q: f64[d], s: f64
              s = 0.0
              for j in 0..d
                check i * d + j < len(x) index \"x\" \"x[i * d + j]\"
                q[j] = e[j] * x[i * d + j]
              for j.2 in 0..d
                s += q[j.2] * q[j.2]
              total += s * s
              for j.3 in 0..d down
                d_e[j.3] += q[j.3] * x[i * d + j.3]
        ",
    );
    assert_text(
        &after,
        "
  scope lanes: usize
    lanes = int::min(int::max(65536 / saturating_add(saturating_mul(8, d), 8) * 8, 16), 128)
    scope q: f64[d, lanes] thread, s: f64[lanes] thread
      for b in 0..n step lanes sequential
        scope w: usize
          w = int::min(lanes, n - b)
          for l in 0..w lanes(128)
            s[l] = 0.0
          for j in 0..d sequential
            check (b + (w - 1)) * d + j < len(x) index \"x\" \"x[i * d + j]\"
            for l.2 in 0..w lanes(128)
              q[j, l.2] = e[j] * x[(b + l.2) * d + j]
          for j.2 in 0..d sequential
            for l.3 in 0..w lanes(128)
              s[l.3] += q[j.2, l.3] * q[j.2, l.3]
          for l.4 in 0..w lanes(128)
            total += s[l.4] * s[l.4]
          for j.3 in 0..d down sequential
            for l.5 in 0..w lanes(128)
              d_e[j.3] += q[j.3, l.5] * x[(b + l.5) * d + j.3]
        ",
    );
    for n in SIZES {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "d" => Arg::Size(3),
            "x" => Arg::Floats(3 * n),
            _ => Arg::Floats(3),
        };
        assert_same(&before, &after, &args);
    }
    assert!(matches!(made, Lifted::Blocks { .. }));
}

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
            scope a: usize, c: usize, p: f64[3], e: f64, d_e: f64, d_p: f64[3]
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
        scope a: usize, c: usize, p: f64[3], e: f64, d_e: f64, d_p: f64[3]
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

#[test]
fn what_is_the_same_for_all_lanes_is_computed_once() {
    let (before, after, _) = lifted(
        "
        fn f(x: in f64[_], y: inout f64[_], n: in usize, s: in f64) -> total: f64
          total = 0.0
          for i in 0..n
            scope t: f64, u: f64
              u = s * 2.0
              t = x[i] * u
              u = s * 3.0
              y[i] = t * u
              total += u
        ",
    );
    assert_text(
        &after,
        "
      u = s * 2.0
      for l in 0..w lanes(128)
        t[l] = x[b + l] * u
      u = s * 3.0
      for l.2 in 0..w lanes(128)
        y[b + l.2] = t[l.2] * u
        total += u
        ",
    );
    for n in SIZES {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "s" => Arg::Number(1.5),
            _ => Arg::Floats(n),
        };
        assert_same(&before, &after, &args);
    }
}

#[test]
fn what_cannot_run_in_lanes_runs_lane_after_lane() {
    let (before, after, _) = lifted(
        "
        fn f(start: in usize[_], x: in f64[_], y: inout f64[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope s: f64
              s = 0.0
              for k in start[i]..start[i + 1]
                s += x[k]
              y[i] += s * s
              total += s
        ",
    );
    assert_text(
        &after,
        "
        for l.2 in 0..w sequential
          for k in start[b + l.2]..start[b + l.2 + 1]
            s[l.2] += x[k]
        ",
    );
    for n in SIZES {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "start" => Arg::Indices(
                (0..=n)
                    .map(|i| i * i % 7 + 2 * i)
                    .scan(0, |most, at| {
                        *most = at.max(*most);
                        Some(*most)
                    })
                    .collect(),
            ),
            "x" => Arg::Floats(2 * n + 8),
            _ => Arg::Floats(n),
        };
        assert_same(&before, &after, &args);
    }
}

#[test]
fn a_check_is_made_in_the_lane_that_decides() {
    for (check, made) in [
        ("i * 2 < len(x) + n", "check (b + (w - 1)) * 2 < len(x) + n"),
        ("n - 1 - i < len(x)", "check n - 1 - b < len(x)"),
        ("i < len(x) + n - i", "check b + (w - 1) < len(x) + n - (b + (w - 1))"),
        ("n + 1 - i > len(x) - len(x)", "check n + 1 - (b + (w - 1)) > len(x) - len(x)"),
        ("p[i] < len(x)", "check p[b + l] < len(x)"),
        ("i % 3 < len(x)", "check (b + l) % 3 < len(x)"),
    ] {
        let (before, after, _) = lifted(&format!(
            "
        fn f(x: in f64[_], p: in usize[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            check {check} \"too far\"
            total += p[i] as f64
        "
        ));
        assert_text(&after, &format!("\n{made}"));
        for n in SIZES {
            for len in [n, n / 2] {
                let args = |name: &str| match name {
                    "n" => Arg::Size(n),
                    "p" => Arg::Indices((0..n).collect()),
                    _ => Arg::Floats(len),
                };
                assert_same(&before, &after, &args);
            }
        }
    }
}

#[test]
fn a_loop_that_assigns_one_element_again_and_again_stays() {
    let (before, after, made) = lifted(
        "
        fn f(x: in f64[_], y: inout f64[_], n: in usize)
          for i in 0..n
            y[0] = x[i]
        ",
    );
    assert_eq!(before.to_string(), after.to_string());
    assert!(matches!(made, Lifted::Serial { reason } if reason.contains("same element of `y`")));
}

#[test]
fn an_array_whose_size_differs_between_iterations_stays() {
    let (before, after, made) = lifted(
        "
        fn f(x: in f64[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope t: f64[i + 1]
              t[0] = x[i]
              for j in 0..i + 1
                t[j] = x[j]
              for j.2 in 0..i + 1
                total += t[j.2]
        ",
    );
    assert_eq!(before.to_string(), after.to_string());
    assert!(matches!(made, Lifted::Serial { .. }));
}
