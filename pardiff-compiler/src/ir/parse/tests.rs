use super::parse;
use crate::ir::*;

/// Everything of a program but spans and tokens.
fn assert_same(a: &Program, b: &Program) {
    assert_eq!(a.name, b.name);
    assert_eq!(a.params, b.params);
    assert_eq!(a.results, b.results);
    assert_eq!(a.buffers, b.buffers);
    assert_eq!(a.iters, b.iters);
    let texts = |p: &Program| p.opaques.iter().map(|o| (o.text.clone(), o.ty, o.range)).collect::<Vec<_>>();
    assert_eq!(texts(a), texts(b));
    // as text, in which NaN equals NaN
    assert_eq!(format!("{:?}", a.body), format!("{:?}", b.body));
}

/// The text prints as it is, and its full form reads back to the same program.
fn round_trip(text: &str) -> Program {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(program.to_string(), text);
    let full = format!("{program:#}");
    let again = parse(&full).unwrap_or_else(|error| panic!("{error}\n{full}"));
    assert_same(&again, &program);
    assert_eq!(format!("{again:#}"), full);
    program
}

const EVERY_STATEMENT: &str = "\
fn kernel(x: in f64[_], d_x: adjoint(x) f64[len(x)], start: in usize[n], y: inout f32[_, 3],
    n: in usize, flag: in bool, d_total: adjoint(total) f64) -> total: f64, counts: i32[n, 4]
  table TABLE: f64[_] = \"super::TABLE\"
  table STEPS: isize[_] = \"STEPS\" of -1..=4
  buffer gone: f64[n] padded(8) shared
  opaque PI: f64 = \"std::f64::consts::PI\"
  opaque f: f64 = \"f\"
  total = 0.0
  for i in 0..len(x)
    check i < len(x) index \"x\" \"x[i]\"
    total += x[i] * PI
  for k: i32 in -3..=n as i32 step 2 down
    if (k > 0) & flag
      total max= 2.0 @ private_copies
    else
      total min= x[0]
      total max= TABLE[1]
  for j in 0..n step n sequential marks(sequential, store)
    y[j, 0] = 0.5
  for j.2 in 0..n parallel(task) marks(parallel, replay)
    counts[j.2, 1] = j.2 as i32
  for q in 0..n marks(checkpoint)
    y[q, 0] = 0.5
  for q.2 in 0..n marks(checkpoint_8, in_checkpoint)
    y[q.2, 0] = 0.5
  for q.3 in 0..n marks(checkpoint_levels_3, in_checkpoint_memory_4096)
    y[q.3, 0] = 0.5
  for q.4 in 0..n marks(checkpoint_states_8_levels_2)
    y[q.4, 0] = 0.5
  scope t: f64, t.2: tape f64[_, n] reached, a: i64[2, n] padded(8) thread, b: i64[4, 4] triangular,
        swap.1: i64[_] growing, c: i64[3, 5], mask: bool[16], gone_bar: adjoint(gone) f64,
        y_dot: tangent(y) f32[len(y), len(y, 1)] # adjoint
    for l in 0..16 lanes(16)
      mask[l] = true
    for l.2 in 0..16 lanes(16)
      mask[l.2] = !mask[0]
    t = 1.0 # primal
    swap a, c
    fork
      task
        t.2[0, 1] = 1.0
      task
        b[1, 0] = -1
    loop trip
      swap.1[trip] = 0
      while trip < n
      total += t # replay
    guard n > 3
      total = 1e300
    otherwise
      total = -5e-324
    check (n < 3) & flag index \"x\" \"x[n]\" (n, len(x))
    check 1 <= n slice \"x\" \"x[1..n]\" (1, n, len(x))
    check flag \"a \\\"quote\\\", a line\\nbreak\"
    call product [n, 3, len(x)] t.2[0, 1] by [1, 0] [0, 1] += d_x[n] by [1] [n] * x[0] by [0] [1] * 2.0
    call scan [n + 1] reads(x) writes(x)
    call sort [n, 7] reads(x) writes(x, y)
    call user solve vjp solve_vjp jvp crate::solve_jvp vjp_jvp solve_vjp::jvp (shared, mut, n, 2.0) reads(x, y) writes(y)
    call user solve_vjp () reads() writes(total)
    if flag
";

#[test]
fn every_statement_round_trips() {
    let program = round_trip(EVERY_STATEMENT);
    assert_eq!(program.params.len(), 7);
    assert_eq!(program[program.params[1]].role, Role::Adjoint(program.params[0]));
    let StmtKind::For(down) = &program.body[2].kind else { panic!("a loop is expected") };
    assert_eq!((down.order, down.inclusive, &down.step), (Order::Down, true, &Expr::usize(2)));
    assert_eq!(program[down.iter].ty, Ty::Int(Int::I32));
    let StmtKind::Scope { buffers, body } = &program.body[9].kind else { panic!("a scope is expected") };
    assert_eq!(program[buffers[4]].name, "swap");
    assert_eq!(program[buffers[1]].name, "t");
    assert_eq!(body[2].origin.phase, Phase::Primal);
    assert_eq!(body[3].origin.phase, Phase::Adjoint);
    let StmtKind::While(while_) = &body[5].kind else { panic!("a loop is expected") };
    assert_eq!((while_.head.len(), while_.body.len()), (1, 1));
    assert_eq!(while_.body[0].origin.phase, Phase::Replay);
}

#[test]
fn every_scheme_level_and_phase_round_trips() {
    use crate::ir::print::{LEVELS, PHASES, SCHEMES};
    let mut text = "fn f() -> total: f64\n".to_owned();
    for (scheme, word) in SCHEMES {
        let mark = if scheme == Scheme::Undecided { String::new() } else { format!(" @ {word}") };
        text += &format!("  total += 1.0{mark}\n");
    }
    for (k, (_, word)) in LEVELS.iter().enumerate() {
        let number = if k == 0 { String::new() } else { format!(".{}", k + 1) };
        text += &format!("  for i{number} in 0..2 parallel({word})\n");
    }
    for (phase, word) in PHASES {
        let mark = if phase == Phase::Primal { String::new() } else { format!(" # {word}") };
        text += &format!("  total = 1.0{mark}\n");
    }
    let program = round_trip(&text);
    let StmtKind::Reduce { scheme, .. } = program.body[SCHEMES.len() - 1].kind else {
        panic!("a sum is expected")
    };
    assert_eq!(scheme, Scheme::Atomic);
}

/// The expression as the text form shows it where a `ty` belongs, read back.
fn expression(ty: &str, text: &str) -> Expr {
    let head = "fn f(x: in f64[_], s: in f32, n: in usize, k: in i32, u: in u8, b: in bool)";
    let text = format!("{head} -> out: {ty}\n  for i in 0..n\n    out = {text}\n");
    let program = round_trip(&text);
    let StmtKind::For(for_) = &program.body[0].kind else { panic!("a loop is expected") };
    let StmtKind::Assign { value, .. } = &for_.body[0].kind else { panic!("an assignment is expected") };
    value.clone()
}

#[test]
fn expressions_round_trip() {
    for (ty, text) in [
        ("f64", "x[i] + x[i + 1] * (x[0] - 1.0) / -x[n - 1]"),
        ("f64", "x[0] - (x[1] - x[2]) - x[3]"),
        ("f64", "-(1.0)"),
        ("f64", "-1.0"),
        ("f64", "x[0] - -1.0"),
        ("f64", "-x[0] as f64"),
        ("f64", "-(x[0] as f64)"),
        ("f64", "(x[0] + 1.0) as f32 as f64"),
        ("f64", "poly::exp(x[i]) % powi(x[0], k + 1)"),
        ("f64", "select(x[0] < 1.0, 2.0, x[1])"),
        ("f64", "f64::NAN + f64::INFINITY * f64::NEG_INFINITY"),
        ("f64", "1.7976931348623157e308 + 5e-324 + 0.1 + 1e16"),
        ("f32", "s * 0.1 + 1e-45 + f32::INFINITY"),
        ("f32", "1.5 as f32"),
        ("f32", "mul_add(s, 2.0, clamp(s, -1.0, 1.0))"),
        ("i32", "k << 3 >> n & 7 | 1 ^ !k"),
        ("i32", "-5 % -k"),
        ("i32", "int::pow(k, 3) + 3i64 as i32"),
        ("u32", "abs_diff(k, 1)"),
        ("u32", "count_ones(1u8)"),
        ("u32", "count_ones(n) + leading_zeros(u)"),
        ("usize", "trip_count(k, 10, n) + len(x)"),
        ("i128", "-170141183460469231731687303715884105728"),
        ("bool", "(k == 3) == (1.0 < s) & true"),
        ("bool", "1.0f32 < 2.0f32"),
        ("bool", "is_nan(s * 2.0) | checked_add_ok(u, 200)"),
        ("bool", "!(b ^ (1i32 < 2i32))"),
        ("f64", "float::rem_euclid(x[0], 2.0) + int::min(k, 3) as f64"),
    ] {
        expression(ty, text);
    }
}

#[test]
fn the_types_of_literals_follow_from_their_surroundings() {
    let value = expression("bool", "1.5 < s");
    let ExprKind::Binary(BinOp::Lt, lhs, _) = &value.kind else { panic!("a comparison is expected") };
    assert_eq!(**lhs, Expr::float(Ty::F32, 1.5));
    let value = expression("i32", "k << 3");
    let ExprKind::Binary(BinOp::Shl, _, rhs) = &value.kind else { panic!("a shift is expected") };
    assert_eq!(**rhs, Expr::usize(3));
    assert_eq!(expression("f32", "0.1"), Expr::float(Ty::F32, f64::from(0.1f32)));
    let value = expression("u32", "abs_diff(k, 1)");
    assert_eq!(value.ty, Ty::Int(Int::U32));
    assert_eq!(value.operands()[1].ty, Ty::Int(Int::I32));
}

#[test]
fn every_function_round_trips() {
    for &func in Func::ALL {
        let first = match (func.kind(), func) {
            (Kind::Int, _) => "k",
            _ => "x[0]",
        };
        let ty = if first == "k" { Ty::Int(Int::I32) } else { Ty::F64 };
        let operands: Vec<&str> = (0..func.arity())
            .map(|k| match func.operand_ty(k, ty) {
                Ty::Float(_) => ["x[0]", "2.0", "3.0"][k],
                _ => [first, "2", "3"][k],
            })
            .collect();
        let text = format!("{}({})", func.text(), operands.join(", "));
        let value = expression(&func.result_ty(ty).to_string(), &text);
        let ExprKind::Call(read, _, args) = &value.kind else { panic!("a call is expected") };
        assert_eq!(*read, func);
        for (k, arg) in args.iter().enumerate() {
            assert_eq!(arg.ty, func.operand_ty(k, ty), "{text}");
        }
    }
}

#[test]
fn names_are_made_unique_and_legal() {
    let mut p = Program::new("f", proc_macro2::Span::call_site());
    for name in ["t", "t", "r#loop", "a b", "", "1x", "len", "len", "_"] {
        let id = p.add_scalar(name, Ty::F64, Role::Input);
        p.params.push(id);
    }
    let text = p.to_string();
    let names = "t: in f64, t.2: in f64, loop.1: in f64, a_b: in f64, _.1: in f64, _1x: in f64";
    assert!(text.starts_with(&format!("fn f({names},")), "{text}");
    assert!(text.contains("len.1: in f64,\n    len.2: in f64, _.2: in f64"), "{text}");
    assert_eq!(parse(&text).unwrap().to_string(), text);
}

#[test]
fn margins_and_comments_are_ignored() {
    let text = "
        fn f(x: in f64) -> y: f64  // doubles

          // what it does
          y = x + x
    ";
    assert_eq!(parse(text).unwrap().to_string(), "fn f(x: in f64) -> y: f64\n  y = x + x\n");
}

#[test]
fn errors_say_where() {
    for (text, error) in [
        ("", "line 1, column 1: `fn` is expected"),
        ("fn f(x: f64)", "line 1, column 9: a role is expected"),
        ("fn f(x: in f63)", "line 1, column 12: a type is expected"),
        ("fn f(x: in f64[1] grown)", "line 1, column 19: `,` is expected"),
        ("fn f() -> y: f64\n  y = z", "line 2, column 7: there is no `z`"),
        ("fn f() -> y: f64\n  y = 1.0 +", "line 2, column 12: an expression is expected"),
        ("fn f() -> y: f64\n  y = 1", "line 2, column 7: an integer is no f64"),
        ("fn f() -> y: f64\n  y = exp(1.0, 2.0)", "line 2, column 7: `exp` has 1 operands"),
        ("fn f() -> y: f64\n  y = expo(1.0)", "line 2, column 7: there is no function `expo`"),
        ("fn f() -> y: f64\n   y = 1.0", "line 2, column 4: indentation is two spaces a level"),
        ("fn f() -> y: f64\n    y = 1.0", "line 2, column 5: the indentation fits no statement above"),
        ("fn f() -> y: f64\n  y ? 1.0", "line 2, column 5: `?` has no meaning here"),
        ("fn f() -> y: f64\n  y - 1.0", "line 2, column 5: `=`, `+=`, `min=` or `max=` is expected"),
        ("fn f(y: in f64) -> y: f64", "line 1, column 21: `y` is declared twice"),
        ("fn f() -> y: f64\n  loop i\n    y = 1.0", "line 4, column 1: `while` is expected in the loop"),
        ("fn f() -> y: f64\n  check true", "line 2, column 13: a string is expected"),
        ("fn f() -> y: f64\n  check true \"a", "line 2, column 16: the string does not end"),
        ("fn f() -> y: bool\n  y = 1 < 2 < 3", "line 2, column 13: comparisons do not chain"),
        ("fn f() -> y: f64\n  y += 1.0 @ magic", "line 2, column 19: `magic` is no scheme"),
    ] {
        assert_eq!(parse(text).map(|p| p.to_string()).unwrap_err().to_string(), error, "{text}");
    }
}
