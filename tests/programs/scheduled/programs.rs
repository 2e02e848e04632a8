//! Programs as the scheduler writes them, in the text form of the IR. All of them have the parameters of [`INTERFACE`].

/// The parameters.
pub const INTERFACE: &str = "n: in usize, m: in usize, scale: in f64, x: in f64[_], w: in f64[_, 3], s: in f32[_], \
                             k: in usize[_], y: inout f64[_], v: inout f64[_, 2], t: inout f32[_], c: inout i64[_]";

/// The types of the parameters in Rust.
pub const TYPES: [&str; 11] = [
    "usize",
    "usize",
    "f64",
    "&[f64]",
    "&[[f64; 3]]",
    "&[f32]",
    "&[usize]",
    "&mut [f64]",
    "&mut [[f64; 2]]",
    "&mut [f32]",
    "&mut [i64]",
];

/// A name, and the body of a program.
pub const PROGRAMS: &[(&str, &str)] = &[
    (
        "elements",
        "
  for chunk in 0..(n + 99) / 100 parallel(task)
    for i in chunk * 100..int::min(chunk * 100 + 100, n) sequential
      y[i] = x[i] * scale + w[i, 1] - exp(-x[i])
      v[i, 1] += x[i]
      t[i] = s[i] * 2.0
      c[i] = (k[i] as i64) - 3
",
    ),
    (
        "lanes_of_everything",
        "
  for chunk in 0..(n + 127) / 128 parallel(task)
    scope lo: usize, hi: usize
      lo = chunk * 128
      hi = int::min(lo + 128, n)
      for l in lo..hi lanes(128)
        scope a: f64, b: f64, f: f32, p: bool
          a = x[l] * scale + x[l + 2]
          b = poly::exp(a) + sin(a) - sqrt(abs(a)) / (1.0 + x[3 * l] * x[3 * l])
          f = s[l] * 0.5 - (a as f32)
          p = (a < b) | (f >= 0.0)
          if p
            a = a + 1.0
          else
            a = -b
            b = max(a, 0.25) * w[l, 2]
          y[l] = a
          y[l + n] += a * b
          y[l + 2 * n] max= b
          v[l, 0] = select(p, a, b) + (l as f64)
          t[l] = f * f
          c[l] = (k[l] as i64) * 3 - (a as i64) % 7 + (p as i64)
          c[l + n] = (int::min(k[l], l) + m * 2) as i64
",
    ),
    (
        "sums",
        "
  scope parts: tape f64[(n + 127) / 128, 9] padded(8), total: f64
    for chunk in 0..(n + 127) / 128 parallel(task)
      for z in 0..9 sequential
        parts[chunk, z] = 0.0
      parts[chunk, 3] = 1.0
      parts[chunk, 4] = f64::INFINITY
      parts[chunk, 5] = f64::NEG_INFINITY
      for l in 0..int::min(128, n - chunk * 128) lanes(128)
        scope a: f64
          a = x[chunk * 128 + l]
          parts[chunk, 0] += a * scale
          parts[chunk, 1] += a
          parts[chunk, 2] += -a * a
          parts[chunk, 3] max= 1.0 + 0.01 * a
          parts[chunk, 4] min= a
          parts[chunk, 5] max= a
          if a > 0.0
            parts[chunk, 6] += a
            parts[chunk, 7] += 1.0
          for j in 0..3
            parts[chunk, j] += w[chunk * 128 + l, j]
    total = 0.0
    for d in 0..(n + 127) / 128
      for z.2 in 0..9
        y[z.2] += parts[d, z.2]
        total += parts[d, z.2]
    y[9] = total
",
    ),
    (
        "integer_sums",
        "
  for chunk in 0..int::min(n, 1) parallel(task)
    for l in 0..n lanes(128)
      c[n] += k[l] as i64
      c[n + 1] max= (k[l] as i64) * 2
      if k[l] > 3
        c[n + 2] min= -(k[l] as i64)
",
    ),
    (
        "gather_and_scatter",
        "
  for chunk in 0..int::min(n, 1) parallel(task)
    for l in 0..n lanes(128)
      y[k[l]] += x[l] * x[k[l]]
      v[k[l], 1] += x[l]
      t[k[l]] += s[l]
      if k[l] % 2 == 0
        y[40 + k[l]] += x[n - 1 - l]
        c[k[l] / (1 + (k[l] % 4))] += 1
",
    ),
    (
        "expanded_blocks",
        "
  scope parts: tape f64[(n + 255) / 256, 4, 4] padded(8)
    for chunk in 0..(n + 255) / 256 parallel(task)
      scope xc: f64[4, 128] thread, q: f64[4, 128] thread, r: f64[128] thread, d_r: f64[4, 4]
        for i in 0..4 sequential
          for j in 0..4 sequential
            d_r[i, j] = 0.0
        for b in chunk * 256..int::min(chunk * 256 + 256, n) step 128 sequential
          scope wide: usize
            wide = int::min(128, int::min(chunk * 256 + 256, n) - b)
            for j.2 in 0..4 sequential
              for l.0 in 0..wide lanes(128)
                xc[j.2, l.0] = x[(b + l.0) * 4 + j.2]
                q[j.2, l.0] = 0.0
            for j.3 in 0..4 sequential
              for a.3 in 0..=j.3 sequential
                for l.1 in 0..wide lanes(128)
                  q[j.3, l.1] += w[j.3, a.3 % 3] * xc[a.3, l.1]
            for l.2 in 0..wide lanes(128)
              r[l.2] = 0.0
              for j.4 in 0..4
                r[l.2] += q[j.4, l.2] * q[j.4, l.2]
            for l.3 in 0..wide lanes(128)
              r[l.3] = poly::exp(-0.01 * r[l.3])
              y[b + l.3] = r[l.3]
            for j.5 in 0..4 sequential
              for a.5 in 0..4 sequential
                for l.4 in 0..wide lanes(128)
                  d_r[j.5, a.5] += q[j.5, l.4] * xc[a.5, l.4]
        for i.9 in 0..4 sequential
          for j.9 in 0..4 sequential
            parts[chunk, i.9, j.9] = d_r[i.9, j.9]
    for d in 0..(n + 255) / 256
      for i.8 in 0..4
        for j.8 in 0..4
          y[n + i.8 * 4 + j.8] += parts[d, i.8, j.8]
",
    ),
    (
        "lane_locals",
        "
  for chunk in 0..(n + 63) / 64 parallel(task)
    for l in chunk * 64..int::min(chunk * 64 + 64, n) lanes(64)
      scope p: f64[3], g: i64[2], best: f64, at: usize, u: f64
        for j in 0..3
          p[j] = w[l, j] * (j as f64)
        g[0] = k[l] as i64
        g[1] = -g[0]
        best = p[0]
        at = 0
        for j.2 in 1..3
          if p[j.2] > best
            best = p[j.2]
            at = j.2
        u = 0.0
        for j.3 in 0..m
          u += x[j.3] * p[j.3 % 3]
        p[k[l] % 3] += 10.0
        y[l] = best + u + p[(k[l] + 1) % 3] + p[at]
        y[l + n] = p[0] + p[1] * 2.0 + p[2] * 3.0
        c[l] = g[k[l] % 2] + (at as i64)
",
    ),
    (
        "guarded",
        "
  for chunk in 0..int::min(n, 1) parallel(task)
    for l in 0..n lanes(128)
      scope left: f64
        left = 0.0
        if l > 0
          left = x[l - 1]
          if left > 0.0
            c[l - 1] = (k[l] / (k[l] + 1 - l / (n + 1))) as i64
        y[l] = left * 0.5
        if l + 1 < n
          y[l] += y[l + 2 * n] + x[l + 1]
          t[l + 1] = s[l] + 1.0
        if k[l] > 2
          if x[l] > 0.0
            y[l + n] = 1.0 / x[l]
          else
            y[l + n] = x[k[l] - 3]
",
    ),
    (
        "scalar_loop_in_lanes",
        "
  for chunk in 0..int::min(n, 1) parallel(task)
    for l in 0..n lanes(128)
      scope a: f64
        a = x[l]
        check l < len(x) index \"x\" \"x[l]\"
        check a < 1000000.0 \"a is small\"
        if m > 2
          a = a * 2.0
        y[l] = a
        y[l + n] = floor(a) + powi(a, 3 as i32) + poly::tan(a) + atan2(a, 1.5) + poly::ln(2.0 + a * a) + poly::powf(abs(a), 1.5)
        y[l + 2 * n] = float::rem_euclid(a, 0.7) + mul_add(a, a, 1.0) + poly::mul_add(a, a, 1.0) + a % 0.3 + round(a)
        t[l] = poly::tanh(s[l]) + (a as f32)
        c[l] = (is_nan(a / (a - a)) as i64) + ((a >= 0.0) == (s[l] >= 0.0)) as i64 + (count_ones(k[l]) as i64)
",
    ),
    (
        "tapes_and_swaps",
        "
  scope tape: tape f64[n, m], rows: tape f64[_, m] reached
    call reach [n] reads() writes(rows)
    for i in 0..n
      for j in 0..m
        rows[i, j] = x[i] + j as f64
    for chunk in 0..(n + 31) / 32 parallel(task)
      scope first: f64[m] thread, second: f64[m] thread, small: f64[3], odd: f64[2 * m + 1] thread
        for i.1 in chunk * 32..int::min(chunk * 32 + 32, n) sequential
          for j.1 in 0..m sequential
            first[j.1] = x[i.1 + j.1]
            second[j.1] = -1.0
            odd[2 * j.1] = 0.5
          if k[i.1] % 2 == 0
            swap first, second
          for j.2 in 0..m lanes(64)
            tape[i.1, j.2] = first[j.2] * scale + odd[2 * j.2]
            second[j.2] += first[j.2]
          small[0] = first[0] + rows[i.1, 0]
          small[2] = second[m - 1]
          y[i.1] = small[0] + small[2]
    for i.2 in 0..n
      for j.3 in 0..m
        y[n + i.2] += tape[i.2, j.3]
",
    ),
    (
        "large_body",
        "
  for chunk in 0..int::min(n, 1) parallel(task)
    for l in 0..n lanes(128)
      scope a: f64, b: f64
        a = x[l]
        b = x[l + 1]
        for j in 0..2
          a = a * b + 0.25 * a * a - b * (a - b) * 0.125 + sqrt(a * a + b * b) - abs(a - 0.5 * b) + a / (2.0 + b * b)
          b = b - 0.1 * a * a + 0.2 * b * b - a * b * 0.3 + 1.0 / (1.0 + a * a) + max(a, b) - min(a * 2.0, b * 3.0)
          a = 0.5 * a / (1.0 + abs(a)) + 0.25 * b / (1.0 + abs(b)) - 0.125 * (a + b) / (1.0 + a * a + b * b)
          b = (a - b) / (1.0 + (a - b) * (a - b)) + (a + b) / (1.0 + (a + b) * (a + b)) + 0.5 * a * b / (4.0 + b * b)
          a = a * b + 0.25 * a * a - b * (a - b) * 0.125 + sqrt(a * a + b * b) - abs(a - 0.5 * b) + a / (2.0 + b * b)
        y[l] = a
        y[3 * n] += b
        if a > b
          y[l + n] = b
          c[l] = l as i64
        y[2 * n + k[l]] += a * b
",
    ),
    (
        "short_bodies",
        "
  for chunk in 0..int::min(n, 1) parallel(task)
    for l in 0..n lanes(128)
      y[0] += x[l] * x[l + 1]
    for l.1 in 0..n lanes(128)
      y[1] max= x[l.1]
    for l.2 in 3..n lanes(128)
      scope product: f64, count: usize
        product = 0.0
        count = 0
        for a in 0..m sequential
          count = count + 1
          product += w[a, 1] * x[l.2 + a]
        y[l.2] = product + (count as f64)
    for l.3 in 0..n lanes(128)
      for a.3 in 0..m sequential
        y[n + a.3] += x[l.3] * x[l.3 + a.3]
    for l.4 in 0..n lanes(128)
      if m > 3
        y[n + 10] += x[l.4]
    for l.5 in 1..n lanes(128)
      scope here: i64
        here = 0
        for a.5 in 0..3 sequential
          here = here + (l.5 as i64) * (k[l.5 - 1] as i64)
        c[l.5] = here
",
    ),
    (
        "checks_in_tasks",
        "
  for chunk in 0..n parallel(task)
    check k[chunk] < 1000 index \"k\" \"k[chunk]\" (k[chunk], 1000)
    for l in 0..m lanes(64)
      check k[l] + chunk < 5000 index \"y\" \"y[k[l]]\" (k[l] + chunk, 5000)
      y[chunk * 3] += x[l]
",
    ),
];
