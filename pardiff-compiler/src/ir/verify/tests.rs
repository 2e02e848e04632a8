//! One wrong program for each invariant, and the rule that it breaks.

use super::{Rule, verify};
use crate::ir::*;

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The rules that a program breaks.
fn broken(program: &Program) -> Vec<Rule> {
    verify(program).err().unwrap_or_default().into_iter().map(|violation| violation.rule).collect()
}

#[track_caller]
fn breaks(rule: Rule, text: &str) {
    assert_eq!(broken(&program(text)), [rule], "{text}");
}

/// The body breaks exactly this rule, in a program with one of everything.
#[track_caller]
fn body_breaks(rule: Rule, body: &str) {
    breaks(rule, &format!("{HEAD}{body}"));
}

const HEAD: &str = "
fn f(x: in f64[_], d_x: adjoint(x) f64[len(x)], y: inout f64[len(x)], s: in f32, n: in usize, k: in i32, b: in bool, m: inout usize, d_total: adjoint(total) f64) -> total: f64
  table TABLE: f64[_] = \"TABLE\"
  opaque PI: f64 = \"PI\"
  total = d_total * PI + TABLE[0] + x[0]
";

#[test]
fn a_right_program_is_accepted() {
    let text = format!(
        "{HEAD}
  scope t: f64, start: usize[n], lens: usize, d_t: adjoint(t) f64
    lens = n * 2
    scope t_tape: tape f64[n, lens], grown: tape f64[_, 3] growing, ragged: tape f64[_, n] reached, tri: f64[n, n] triangular, other: f64[n, n] triangular, mask: bool[16]
      for i in 0..n
        start[i] = 3 * i
        for j in 0..i + 1 step 2 down
          tri[i, j] = x[i]
          ragged[i, j] = tri[i, j]
          grown[j, 0] = t_tape[i, j]
        d_x[i] += d_t
      swap tri, other
      for c: i32 in -k..=k
        total += c as f64
      for chunk in 0..n parallel(task)
        for l in 0..16 lanes(16)
          y[chunk] += x[l]
      loop trip
        t = 1.0
        while (trip < n) & (t > 0.0)
        m = trip
      fork
        task
          t = 1.0
        task
          d_t = 2.0
      guard n > 3
        total max= t
      check n < len(x) index \"x\" \"x[n]\"
      call product [1, 1, 1] y[0] by [0] [0] += x[0] by [0] [0] * x[0] by [0] [0] * 2.0
"
    );
    assert_eq!(verify(&program(&text)), Ok(()));
}

#[test]
fn ids_exist() {
    let right = program(&format!("{HEAD}  for i in 0..n\n    y[i] = x[i]\n"));
    assert_eq!(broken(&right), []);
    let mut wrong = right.clone();
    wrong.body[0].origin.span = SpanId(9);
    assert_eq!(broken(&wrong), [Rule::Id]);
    let mut wrong = right.clone();
    let StmtKind::Assign { target, .. } = &mut wrong.body[0].kind else {
        panic!("an assignment is expected")
    };
    target.buffer = BufferId(99);
    assert_eq!(broken(&wrong), [Rule::Id, Rule::ResultWritten]);
    let mut wrong = right.clone();
    let StmtKind::For(for_) = &mut wrong.body[1].kind else { panic!("a loop is expected") };
    for_.iter = IterId(99);
    assert_eq!(broken(&wrong), [Rule::Id]);
    let mut wrong = right.clone();
    let StmtKind::Assign { value, .. } = &mut wrong.body[0].kind else { panic!("an assignment is expected") };
    *value = Expr { ty: Ty::F64, kind: ExprKind::Opaque(OpaqueId(99)) };
    assert_eq!(broken(&wrong), [Rule::Id]);
    let mut wrong = right.clone();
    wrong.params[1] = BufferId(99);
    assert_eq!(broken(&wrong)[0], Rule::Id);
    let mut wrong = right.clone();
    wrong.buffers[1].role = Role::Adjoint(BufferId(99));
    assert_eq!(broken(&wrong)[0], Rule::Id);
    let mut wrong = right;
    wrong.spans.clear();
    assert_eq!(broken(&wrong)[0], Rule::Id);
}

#[test]
fn a_buffer_is_declared_once() {
    let mut p = program(&format!("{HEAD}  scope t: f64\n    t = 1.0\n"));
    p.body.push(p.body[1].clone());
    assert_eq!(broken(&p), [Rule::DeclaredOnce]);
    let mut p = program("fn f(x: in f64)");
    p.params.push(p.params[0]);
    assert_eq!(broken(&p), [Rule::DeclaredOnce]);
}

#[test]
fn roles_fit_the_place_of_the_declaration() {
    breaks(Rule::Role, "fn f(x: local f64)");
    breaks(Rule::Role, "fn f(x: tape f64)");
    assert!(broken(&program("fn f() -> y: in f64")).contains(&Rule::Role));
    body_breaks(Rule::Role, "  scope t: in f64\n    total = t");
    body_breaks(Rule::Role, "  scope t: adjoint(s) f64\n    t = 1.0");
    body_breaks(Rule::Role, "  scope t: adjoint(n) usize\n    t = 1");
    let mut p = program("fn f(x: in f64, y: adjoint(x) f64, z: tangent(y) f64)");
    p.buffers[0].role = Role::Adjoint(BufferId(2));
    assert_eq!(broken(&p), [Rule::Role; 3]);
    let mut p = program("fn f()\n  table T: f64[_] = \"T\"\n  table U: f64[_] = \"U\"");
    p.buffers[1].role = p.buffers[0].role;
    assert_eq!(broken(&p), [Rule::Role]);
    let mut p = program("fn f(y: inout f64)\n  table T: f64[_] = \"T\"\n  y = T[0]");
    let StmtKind::Assign { value, .. } = &mut p.body[0].kind else { panic!("an assignment is expected") };
    *value = Expr { ty: Ty::F64, kind: ExprKind::Opaque(OpaqueId(0)) };
    assert_eq!(broken(&p), [Rule::Role]);
}

#[test]
fn extents_are_known_where_the_buffer_is_declared() {
    body_breaks(Rule::Extents, "  scope t: f64[k]\n    t[0] = 1.0");
    body_breaks(Rule::Extents, "  scope t: f64[_]\n    t[0] = 1.0");
    body_breaks(Rule::Extents, "  scope t: f64[2, len(t)]\n    t[0, 0] = 1.0");
    body_breaks(Rule::Extents, "  scope c: usize, t: f64[c]\n    t[0] = 1.0");
    body_breaks(Rule::Extents, "  scope t: f64[n] growing\n    t[0] = 1.0");
    body_breaks(Rule::Scope, "  scope t: f64[len(u)], u: f64[3]\n    t[0] = 1.0");
    breaks(Rule::Scope, "fn f() -> y: f64[len(t)]\n  y[0] = 1.0\n  scope t: f64[3]");
}

#[test]
fn what_extents_read_is_not_written() {
    body_breaks(Rule::Invariant, "  scope t: f64[m]\n    m = 3");
    body_breaks(Rule::Invariant, "  scope t: f64[m]\n    m += 3");
    breaks(Rule::Invariant, "fn f(m: inout usize, x: in f64[m])\n  m = 3");
    let text = format!("{HEAD}  scope t: f64[m]\n    t[0] = 1.0\n  m = 3");
    assert_eq!(broken(&program(&text)), [], "the buffer is no longer alive");
}

#[test]
fn layouts_fit() {
    body_breaks(Rule::Layout, "  scope t: f64[n] padded(0)\n    t[0] = 1.0");
    body_breaks(Rule::Layout, "  scope t: f64[n] triangular\n    t[0] = 1.0");
    body_breaks(Rule::Layout, "  scope t: f64 growing\n    t = 1.0");
    breaks(Rule::Layout, "fn f(x: in f64[_] growing)");
}

/// A call that reads and writes.
fn product_of(target: &str, left: &str, right: &str) -> String {
    format!(
        "  call product [1, 1, 1] {target}[0] by [0] [0] += {left}[0] by [0] [0] * {right}[0] by [0] [0] * 2.0"
    )
}

#[test]
fn buffers_are_mentioned_only_while_alive() {
    let scope = "  scope t: f64, u: f64[3]\n    t = 1.0\n";
    body_breaks(Rule::Scope, &format!("{scope}  total = t"));
    body_breaks(Rule::Scope, &format!("{scope}  t = total"));
    body_breaks(Rule::Scope, &format!("{scope}  total = len(u) as f64"));
    body_breaks(Rule::Scope, &(scope.to_owned() + &product_of("y", "x", "u")));
    let written = program(&format!("{HEAD}{scope}{}", product_of("u", "x", "x")));
    assert_eq!(broken(&written), [Rule::Scope, Rule::Scope], "it is read and written");
}

#[test]
fn iterators_belong_to_one_loop() {
    body_breaks(Rule::Iterator, "  for i in 0..3\n    total = 1.0\n  total = i as f64");
    body_breaks(Rule::Iterator, "  for i in 0..i\n    total = 1.0");
    body_breaks(Rule::Iterator, "  for i: f64 in 0.0..1.0\n    total = 1.0");
    let mut p = program(&format!("{HEAD}  for i in 0..3\n    total = 1.0\n"));
    p.body.push(p.body[1].clone());
    assert_eq!(broken(&p), [Rule::Iterator]);
    let mut p = program(&format!("{HEAD}  loop i\n    while false\n"));
    p.iters[0].ty = Ty::Int(Int::I32);
    assert_eq!(broken(&p), [Rule::Iterator]);
}

#[test]
fn constants_fit_their_types() {
    body_breaks(Rule::Constant, "  if (s < 1.0f32) & (256u8 < 3)\n    total = 1.0");
    body_breaks(Rule::Constant, "  if n > -1\n    total = 1.0");
    let mut p = program("fn f() -> y: f32\n  y = 0.0");
    p.body[0].kind = StmtKind::Assign {
        target: Place::scalar(p.results[0]),
        value: Expr { ty: Ty::F32, kind: ExprKind::Float(0.1) },
    };
    assert_eq!(broken(&p), [Rule::Constant]);
}

#[test]
fn expressions_are_well_typed() {
    for body in [
        "total = x",
        "total = x[0, 1]",
        "total = x[k]",
        "total = s",
        "total += s",
        "total = n",
        "total = x[0] + s as f64 as f32",
        "m = -n",
        "total = !x[0]",
        "if n < k\n    total = 1.0",
        "if n\n    total = 1.0",
        "if b + b == b\n    total = 1.0",
        "total = x[0] & x[1]",
        "m = n << s",
        "total = b as f64",
        "if (n as bool)\n    total = 1.0",
        "total = select(n, 1.0, 2.0)",
        "total = select(b, 1.0, 2.0f32)",
        "total = exp(n)",
        "m = int::max(n, k)",
        "m = int::abs(n)",
        "k = div_ceil(k, 3)",
        "total = powi(total, n)",
        "m = is_nan(x[0])",
        "total = poly::floor(x[0])",
        "for i in 0..k\n    total = 1.0",
        "for i in k..n\n    total = 1.0",
        "for i in 0..n step k\n    total = 1.0",
        "m = len(x, 1)",
        "check n \"no\"",
        "check b index \"x\" \"x[k]\" (k, n)",
        "guard n\n    total = 1.0",
        "loop i\n    while n",
    ] {
        let p = program(&format!("{HEAD}  {body}"));
        let rules = broken(&p);
        assert!(rules.contains(&Rule::Type), "{body}: {rules:?}");
    }
    let mut p = program("fn f() -> y: f64\n  opaque PI: f64 = \"PI\"\n  y = PI");
    p.opaques[0].ty = Ty::F32;
    assert_eq!(broken(&p), [Rule::Type]);
    let mut p = program("fn f() -> y: f64\n  y = abs(1.0)");
    let StmtKind::Assign { value, .. } = &mut p.body[0].kind else { panic!("an assignment is expected") };
    let ExprKind::Call(_, _, args) = &mut value.kind else { panic!("a call is expected") };
    args.clear();
    assert_eq!(broken(&p), [Rule::Type]);
    let mut p = program("fn f()\n  table T: f64[_] = \"T\"");
    p.opaques[0].ty = Ty::F32;
    assert_eq!(broken(&p), [Rule::Type]);
}

#[test]
fn what_is_only_read_is_not_written() {
    body_breaks(Rule::ReadOnly, "  x[0] = 1.0");
    body_breaks(Rule::ReadOnly, "  x[0] += 1.0");
    body_breaks(Rule::ReadOnly, "  d_total = 1.0");
    body_breaks(Rule::ReadOnly, "  TABLE[0] = 1.0");
    body_breaks(Rule::ReadOnly, &product_of("x", "y", "y"));
    assert!(
        broken(&program(&format!("{HEAD}  scope t: f64[len(x)]\n    swap t, x"))).contains(&Rule::ReadOnly)
    );
    breaks(Rule::ReadOnly, "fn f(x: in f64, x_dot: tangent(x) f64)\n  x_dot = 1.0");
    let tangent_of_output = "fn f(y: inout f64, y_dot: tangent(y) f64)\n  y_dot = 1.0";
    assert_eq!(broken(&program(tangent_of_output)), []);
}

#[test]
fn results_are_written() {
    breaks(Rule::ResultWritten, "fn f() -> y: f64");
}

#[test]
fn loops_are_executable() {
    body_breaks(Rule::Step, "  for i in 0..n step 0\n    total = 1.0");
    body_breaks(
        Rule::Execution,
        "  for c in 0..n parallel(task)\n    for i in 0..n lanes(0)\n      y[i] = 1.0",
    );
    body_breaks(Rule::Execution, "  for i in 0..n marks(parallel, sequential)\n    total = 1.0");
}

#[test]
fn reductions_do_not_read_their_target() {
    body_breaks(Rule::Reduce, "  total += total * 2.0");
    body_breaks(Rule::Reduce, "  y[n + 1] max= x[0] + y[n + 1]");
    body_breaks(Rule::Reduce, "  scope t: bool\n    t += true");
    let other_element = format!("{HEAD}  y[n] += y[n + 1]");
    assert_eq!(broken(&program(&other_element)), []);
}

#[test]
fn swapped_buffers_agree() {
    body_breaks(Rule::Swap, "  swap y, y");
    body_breaks(Rule::Swap, "  scope t: f64[n]\n    swap t, y");
    body_breaks(Rule::Swap, "  scope t: f64[n], u: f64[n] padded(8)\n    swap t, u");
    body_breaks(Rule::Swap, "  scope t: f64[n], u: f32[n]\n    swap t, u");
    let equal = format!("{HEAD}  scope t: f64[n], u: f64[len(t)]\n    swap t, u");
    assert_eq!(broken(&program(&equal)), []);
}

#[test]
fn tasks_share_no_scalar_that_one_writes() {
    body_breaks(Rule::Fork, "  fork\n    task\n      total = 1.0\n    task\n      total = 2.0");
    body_breaks(Rule::Fork, "  fork\n    task\n      m = 1\n    task\n      total = y[m]");
    let own = "  fork\n    task\n      scope t: f64\n        t = 1.0\n    task\n      total = y[m]";
    assert_eq!(broken(&program(&format!("{HEAD}{own}"))), []);
}

#[test]
fn whole_arrays_are_put_in_order() {
    let head = "fn f(n: in usize, y: inout f64)\n  scope a: usize[n], keys: u32[n], order: u32[n], plane: usize[n, 2]\n    ";
    let right = "call scan [n] reads(a) writes(a)\n    call sort [n, n * 2] reads(keys) writes(keys, order)";
    assert_eq!(broken(&program(&format!("{head}{right}"))), []);
    for wrong in [
        "call scan [n] reads(keys) writes(keys)",
        "call scan [n] reads(plane) writes(plane)",
        "call scan [n] reads(a) writes()",
        "call sort [n, n] reads(keys) writes(keys, keys)",
        "call sort [n, n] reads(order) writes(keys, order)",
        "call sort [n, n] reads(keys) writes(keys, a)",
    ] {
        assert!(broken(&program(&format!("{head}{wrong}"))).contains(&Rule::Order), "{wrong}");
    }
}

#[test]
fn what_a_call_is_lent_it_is_lent_once() {
    let head = "fn f(x: in f64[_], y: inout f64[_], n: in usize)\n  scope z: f64[n], rows: f64[n, 2], r: f64, s: f64\n    ";
    for right in [
        "call user g vjp g_vjp (shared, n, mut, mut) reads(x, y, s) writes(y, s, r)",
        "call user g (2.0 * s) reads() writes(r, s)",
    ] {
        assert_eq!(broken(&program(&format!("{head}{right}"))), [], "{right}");
    }
    for wrong in [
        "call user g (shared, mut) reads(y, y) writes(y)",
        "call user g (shared) reads(x, z) writes(r)",
        "call user g (shared, mut) reads(x, y) writes(z)",
        "call user g (shared, mut) reads(x, rows) writes(rows)",
        "call user g (shared) reads(s) writes(r)",
        "call user g (shared) reads(x) writes(z)",
        "call user g (mut) reads(s) writes(s, s)",
    ] {
        assert!(broken(&program(&format!("{head}{wrong}"))).contains(&Rule::User), "{wrong}");
    }
}

#[test]
fn violations_are_collected_with_their_statement() {
    let p = program(&format!("{HEAD}  x[0] = 1.0\n  for i in 0..n step 0\n    d_total = 1.0"));
    let violations = verify(&p).unwrap_err();
    let shown: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "ReadOnly: `x` is written\n  in `x[0] = 1.0`",
            "Step: the step is not positive\n  in `for i in 0..n step 0`",
            "ReadOnly: `d_total` is written\n  in `d_total = 1.0`",
        ]
    );
}
