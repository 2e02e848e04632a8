//! Checks and assertions: where they stand and what they say.

use super::{lowered, same};

same! {
    fn assertions(x: &[f64], n: usize) -> f64 {
        assert!(n > 0);
        assert!(n <= x.len(), "too short: {}", n);
        assert_eq!(x.len() % 2, 0);
        assert_ne!(n, 3, "not three");
        debug_assert!(x[0] > 0.0);
        debug_assert_eq!(n + 1, n + 1);
        debug_assert_ne!(n, 7);
        x[n - 1]
    }
    with (x = vec![1.0, 2.0], n = 1usize);
    with (x = vec![1.0, 2.0], n = 0usize);
    with (x = vec![1.0, 2.0], n = 3usize);
    with (x = vec![1.0, 2.0, 3.0], n = 1usize);
    with (x = vec![1.0, 2.0, 3.0, 4.0], n = 3usize);
    with (x = vec![-1.0, 2.0], n = 1usize);

    fn guarded_accesses_do_not_panic(x: &[f64], i: usize) -> f64 {
        if i < x.len() { x[i] } else { 0.0 }
    }
    with (x = vec![1.0], i = 0usize);
    with (x = vec![1.0], i = 1usize);

    fn empty_loops_do_not_panic(x: &[f64], n: usize) -> f64 {
        let mut s = 0.0;
        for i in 0..n { s += x[i + 10]; }
        s
    }
    with (x = vec![1.0], n = 0usize);
    with (x = vec![1.0], n = 1usize);

    fn overflowing_index(x: &[f64], n: usize) -> f64 { x[n * n] }
    with (x = vec![1.0], n = 0usize);
    with (x = vec![1.0], n = usize::MAX);
}

#[test]
fn one_check_an_access_in_order_of_evaluation() {
    let source = "fn f(x: &[f64], k: &[usize], y: &mut [f64]) { y[k[0]] += x[k[1]] * x[0]; }";
    let text = lowered(source).program.to_string();
    let checks: Vec<&str> = text.lines().filter(|line| line.contains("check")).map(str::trim).collect();
    assert_eq!(
        checks,
        [
            "check 1 < len(k) index \"k\" \"k[1]\"",
            "check k[1] < len(x) index \"x\" \"x[k[1]]\"",
            "check 0 < len(x) index \"x\" \"x[0]\"",
            "check 0 < len(k) index \"k\" \"k[0]\"",
            "check k[0] < len(y) index \"y\" \"y[k[0]]\"",
        ]
    );
}

#[test]
fn constant_indices_into_constant_extents_need_no_check() {
    let source = "fn f(x: &[f64; 3]) -> f64 { let t = [[x[0], 2.0]; 2]; t[1][0] + x[2] }";
    assert!(!lowered(source).program.to_string().contains("check"));
}

#[test]
fn a_check_points_at_its_access() {
    let source = "fn f(x: &[f64], i: usize) -> f64 {\n    let y = 2.0;\n    y * x[i]\n}";
    let program = lowered(source).program;
    let mut lines = Vec::new();
    for stmt in &program.body {
        stmt.walk(&mut |stmt| {
            if let pardiff_compiler::ir::StmtKind::Check { .. } = stmt.kind {
                let span = program[stmt.origin.span];
                lines.push((span.start().line, span.source_text().unwrap_or_default()));
            }
        });
    }
    assert_eq!(lines, [(3, "x[i]".to_owned())]);
}
