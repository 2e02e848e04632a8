//! Each way to provide a value and each kind of slot, on the smallest program that shows it: the tapes that are made, and
//! the adjoint against the dual-number oracle in random directions.

use super::reverse;
use crate::ir::interp::{Array, Dual, Number, Outcome, Value, no_paths, run};
use crate::ir::{Layout, Program, Role, parse, verify};

/// A linear congruential generator of numbers in -1..1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / f64::from(1u32 << 30) - 1.0
    }

    fn numbers(&mut self, like: &Array<f64>) -> Vec<f64> {
        like.data.iter().map(|_| self.next()).collect()
    }
}

fn convert<N: Number>(array: &Array<f64>) -> Array<N> {
    let convert = |value: Value<f64>| match value {
        Value::Float(value) => Value::Float(N::constant(value)),
        Value::Int(value) => Value::Int(value),
        Value::Bool(value) => Value::Bool(value),
    };
    Array { dims: array.dims.clone(), data: array.data.iter().map(|value| value.map(convert)).collect() }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The reversed program, once it agrees with the oracle on `args`: for random directions and seeds the tangent of the
/// outputs, weighted by their adjoints, is the direction weighted by the adjoints of the inputs.
pub(super) fn reversed(text: &str, args: &[Array<f64>]) -> Program {
    let primal = parse(text).unwrap_or_else(|error| panic!("{error}"));
    verify::verify(&primal).expect("the primal is a program");
    let active = |b: &crate::ir::BufferId| primal[*b].elem.is_float();
    let wrt: Vec<_> = primal.params.iter().copied().filter(active).collect();
    let adjoint = reverse(&primal, &wrt).expect("every statement here has a reversal");
    if let Err(violations) = verify::verify(&adjoint) {
        panic!("{violations:?}\n{adjoint}");
    }
    let mut random = Random(1);
    for _ in 0..3 {
        let mut duals = Vec::new();
        let mut directions = Vec::new();
        for (&param, arg) in primal.params.iter().zip(args) {
            let float = primal[param].elem.is_float();
            let direction = if float { random.numbers(arg) } else { Vec::new() };
            duals.push(convert::<Dual>(arg).with_tangents(&direction));
            directions.push(direction);
        }
        let oracle = run(&primal, duals, &no_paths).expect("the primal runs");
        let (mut given, mut expected) = (Vec::new(), 0.0);
        let mut adjoints = Vec::new();
        for ((&param, arg), after) in primal.params.iter().zip(args).zip(&oracle.params) {
            given.push(arg.clone());
            if active(&param) {
                let in_out = primal[param].role == Role::InOut;
                let bar = if in_out { random.numbers(arg) } else { vec![0.0; arg.data.len()] };
                expected += if in_out { dot(&after.tangents(), &bar) } else { 0.0 };
                adjoints.push(given.len());
                given.push(Array::floats(&bar).shaped(&arg.dims));
            }
        }
        for result in &oracle.results {
            let seed = random.next();
            expected += seed * result.tangents()[0];
            given.push(Array::float(seed));
        }
        let ran: Outcome<f64> =
            run(&adjoint, given, &no_paths).unwrap_or_else(|e| panic!("{e:?}\n{adjoint}"));
        let directions = directions.iter().filter(|direction| !direction.is_empty());
        let found: f64 = adjoints
            .iter()
            .zip(directions)
            .map(|(&at, direction)| dot(&ran.params[at].reals(), direction))
            .sum();
        assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{found} {expected}\n{adjoint}");
        for (ours, primal) in ran.results.iter().zip(&oracle.results) {
            assert_eq!(ours.reals(), primal.reals(), "the value is the primal's");
        }
    }
    adjoint
}

/// Name, extents and layout of each tape that holds floats, in order.
pub(super) fn tapes(program: &Program) -> Vec<String> {
    let printed = program.to_string();
    let declared = |name: &str| printed.contains(&format!("{name}: tape"));
    let tape = |b: &&crate::ir::Buffer| b.role == Role::Tape && b.elem.is_float();
    let all = program.buffers.iter().filter(tape).map(|buffer| {
        assert!(declared(&buffer.name), "{} is declared in\n{printed}", buffer.name);
        let layout = match buffer.layout {
            Layout::RowMajor => "",
            Layout::PackedTriangular => " triangular",
            Layout::Reserved => " reached",
            _ => " other",
        };
        format!("{} rank {}{layout}", buffer.name, buffer.rank())
    });
    all.collect()
}

/// The margin of the programs below is that of this file.
pub(super) fn program(text: &str) -> String {
    let lines = text.lines().skip_while(|line| line.trim().is_empty());
    let margin =
        text.lines().find(|line| !line.trim().is_empty()).map_or(0, |l| l.len() - l.trim_start().len());
    lines.map(|line| line.get(margin..).unwrap_or("")).collect::<Vec<_>>().join("\n")
}

pub(super) fn x5() -> Array<f64> {
    Array::floats(&[0.3, -0.4, 0.7, 1.1, 0.2])
}

#[test]
fn inputs_are_in_place_and_need_no_tape() {
    let text = program(
        "
        fn f(x: in f64[_], y: in f64[_], n: in usize) -> r: f64
          r = 0.0
          for i in 0..n
            r += sin(x[i]) * y[i]
        ",
    );
    let program = reversed(&text, &[x5(), x5(), Array::int(5)]);
    assert_eq!(tapes(&program), [""; 0]);
}

#[test]
fn a_cheap_definition_is_recomputed() {
    let text = program(
        "
        fn f(x: in f64[_], y: in f64[_], n: in usize) -> r: f64
          r = 0.0
          for i in 0..n marks(store)
            scope t: f64
              t = x[i] - y[i]
              r += t * t
        ",
    );
    let program = reversed(&text, &[x5(), x5(), Array::int(5)]);
    assert_eq!(tapes(&program), [""; 0]);
    assert!(program.to_string().contains("# replay"), "{program}");
}

#[test]
fn a_counter_has_one_tape_in_a_block_and_the_scopes_in_it() {
    let text = program(
        "
        fn f(x: in f64[_], m: in usize[_], y: inout f64[_], n: in usize)
          scope p: usize
            p = 0
            for i in 0..n
              y[p] = sin(x[i]) * y[p]
              scope t: f64
                t = exp(x[i])
                y[p] = t * t * y[p]
              p = p + m[i]
        ",
    );
    let program = reversed(&text, &[x5(), Array::usizes(&[1, 0, 2, 1, 0]), x5(), Array::int(5)]);
    let of_counter = |b: &&crate::ir::Buffer| b.role == Role::Tape && b.name == "p_tape";
    assert_eq!(program.buffers.iter().filter(of_counter).count(), 1, "{program}");
}

#[test]
fn what_a_loop_does_not_change_is_stored_once_in_front_of_it() {
    let text = |changes: &str| {
        program(&format!(
            "
fn f(x: in f64[_], n: in usize) -> r: f64
  r = 0.0
  for i in 0..n marks(store)
    scope s: f64
      s = 1.0
      for j in 0..3
        s += x[j] * x[i]
      r += s * s
      for k in 0..n
        r += s * s * x[k]
{changes}
"
        ))
    };
    let stored = reversed(&text(""), &[x5(), Array::int(5)]);
    assert_eq!(tapes(&stored), ["s_tape rank 1"]);
    assert_eq!(stored.to_string().matches("s_tape[i] = s").count(), 1, "{stored}");
    let changed = reversed(&text("        s = s * x[k]"), &[x5(), Array::int(5)]);
    assert!(tapes(&changed).contains(&"s_tape rank 2".to_owned()), "{changed}");
}

#[test]
fn a_costly_definition_is_stored_behind_it() {
    let text = program(
        "
        fn f(x: in f64[_], n: in usize) -> r: f64
          r = 0.0
          for i in 0..n marks(store)
            scope t: f64
              t = exp(x[i])
              r += t * t
        ",
    );
    assert_eq!(tapes(&reversed(&text, &[x5(), Array::int(5)])), ["t_tape rank 1"]);
}

#[test]
fn variables_of_the_loops_around_are_stored_instead_of_what_inner_loops_make_of_them() {
    let tapes_of = |inner: &str, value: &str| {
        let text = program(&format!(
            "
        fn f(x: in f64[_], n: in usize) -> r: f64
          r = 0.0
          for i in 0..n marks(store)
            scope u: f64, v: f64
              u = x[i]
              v = x[i]
              for k in 0..n
                u = u + x[k]
                v = v + x[k] * x[k]
              for j in {inner} marks(store)
                scope t: f64
                  t = {value}
                  r += t * t * x[i]
        "
        ));
        tapes(&reversed(&text, &[x5(), Array::int(5)]))
    };
    assert_eq!(tapes_of("0..n", "u * x[j] + v"), ["u_tape rank 1", "v_tape rank 1"]);
    // three values of `t` are hardly more than what they are made of
    assert!(tapes_of("0..3", "u * x[j] + v").contains(&"t_tape rank 2".to_owned()));
    // a function is not called again
    assert!(tapes_of("0..n", "exp(u * x[j])").contains(&"t_tape rank 2".to_owned()));
}

#[test]
fn what_takes_many_operations_is_computed_again_in_the_loops_around() {
    let tapes_of = |inner: &str| {
        let text = program(&format!(
            "
        fn f(x: in f64[_], w: in f64[_], n: in usize) -> r: f64
          r = 0.0
          for i in 0..n marks(store)
            scope u: f64, v: f64
              u = x[i] * x[i] + x[i] * w[i] + w[i] * w[i] - x[i] * 0.5 + w[i] * 0.25
              v = x[i] * w[i] + x[i] * x[0] + w[i] * w[0] - x[0] * 0.5 + w[0] * 0.25
              for j in {inner} marks(store)
                scope a: f64, t: f64
                  a = u * x[j] + v * w[j]
                  t = u * (1.0 + 3.0 * a + 4.5 * a * a - 1.5 * (u * u + v * v))
                  r += t * t * x[i]
        "
        ));
        tapes(&reversed(&text, &[x5(), x5(), Array::int(5)]))
    };
    assert_eq!(tapes_of("0..n"), Vec::<String>::new());
    // what few iterations share is stored no less than they have
    assert!(tapes_of("0..3").contains(&"t_tape rank 2".to_owned()));
}

#[test]
fn in_a_loop_in_order_functions_are_stored_and_operations_on_them_are_not() {
    let text = program(
        "
        fn f(w: in f64[_], n: in usize) -> y: f64
          y = 0.5
          for i in 0..n
            scope s: f64
              s = 1.0 / (1.0 + exp(-(y * w[i])))
              y = y * s + w[i]
        ",
    );
    let program = reversed(&text, &[x5(), Array::int(5)]);
    assert_eq!(program.to_string().matches("exp(").count(), 1, "{program}");
    assert_eq!(tapes(&program), ["y_tape rank 1", "exp_of_tape rank 1"], "{program}");
    // of what is in place they are called again
    let in_place = text.replace("exp(-(y * w[i]))", "exp(-w[i])");
    let program = reversed(&in_place, &[x5(), Array::int(5)]);
    assert_eq!(program.to_string().matches("exp(").count(), 2, "{program}");
    assert_eq!(tapes(&program), ["y_tape rank 1"], "{program}");
}

#[test]
fn what_is_overwritten_in_the_same_statement_is_stored_at_its_use() {
    let text = program(
        "
        fn f(x: inout f64[_], n: in usize)
          for i in 0..n marks(store)
            x[i] = x[i] * x[i]
          for j in 0..n marks(store)
            x[j] = x[j] * sin(x[j])
        ",
    );
    assert_eq!(
        tapes(&reversed(&text, &[x5(), Array::int(5)])),
        ["sin_of_tape rank 1", "x_tape rank 1", "x_tape rank 1"]
    );
}

#[test]
fn values_written_in_order_are_in_place() {
    // x[j] with j < i is read after its last write, and so is the quotient x[i]: forward substitution stores nothing
    let text = program(
        "
        fn f(l: in f64[_, 5], x: inout f64[_], n: in usize)
          for i in 0..n
            scope s: f64
              s = x[i]
              for j in 0..i
                s += -(l[i, j] * x[j])
              x[i] = s / (2.0 + l[i, i])
        ",
    );
    let matrix: Vec<f64> = (0..25).map(|k| f64::from(k) / 13.0).collect();
    let program = reversed(&text, &[Array::floats(&matrix).shaped(&[5, 5]), x5(), Array::int(5)]);
    assert_eq!(tapes(&program), [""; 0], "{program}");
}

#[test]
fn a_local_array_lives_in_its_tape() {
    let text = program(
        "
        fn f(x: in f64[_], n: in usize) -> r: f64
          r = 0.0
          for i in 0..n marks(store)
            scope q: f64[3]
              for j in 0..3 marks(store)
                q[j] = exp(x[i] * x[j])
              for k in 0..3 marks(store)
                r += q[k] * q[2 - k]
        ",
    );
    let program = reversed(&text, &[x5(), Array::int(5)]);
    assert_eq!(tapes(&program), ["q_tape rank 2"]);
    assert!(!program.to_string().contains(" q:  f64"), "{program}");
}

#[test]
fn an_array_that_a_time_loop_exchanges_is_stored_once_a_step() {
    let text = program(
        "
        fn f(x: inout f64[_], n: in usize, steps: in usize)
          scope u: f64[n], v: f64[n]
            for i in 0..n
              u[i] = x[i]
            for j in 0..n
              v[j] = 0.0
            for t in 0..steps
              for k in 1..n - 1
                v[k] = u[k - 1] * u[k] + sin(u[k + 1])
              swap u, v
            for m in 0..n
              x[m] = u[m]
        ",
    );
    assert_eq!(tapes(&reversed(&text, &[x5(), Array::int(5), Array::int(3)])), ["u_tape rank 2"]);
}

#[test]
fn a_condition_that_needs_arithmetic_is_stored_and_one_in_place_is_not() {
    let text = program(
        "
        fn f(x: inout f64[_], y: in f64[_], n: in usize, z: inout f64[_])
          for i in 0..n
            if COND
              x[i] = x[i] * y[i]
            else
              x[i] = 0.0
            z[i] += y[i]
        ",
    );
    let conditions = |cond: &str| {
        let program = reversed(&text.replace("COND", cond), &[x5(), x5(), Array::int(5), x5()]);
        program.buffers.iter().filter(|buffer| buffer.name == "condition").count()
    };
    assert_eq!(conditions("y[i] > 0.25"), 0);
    assert_eq!(conditions("y[i] * y[i] > 0.25"), 1);
    assert_eq!(conditions("x[i] > 0.25"), 1, "x[i] is overwritten");
}

#[test]
fn selections_and_kinks_add_nothing_where_they_are_not_taken() {
    // the derivative of sqrt at 0 is infinite; the branch is not taken
    let text = program(
        "
        fn f(x: in f64, y: in f64) -> r: f64
          r = select(x > 0.0, sqrt(x), y) + max(y, sqrt(x))
        ",
    );
    let primal = parse(&text).expect("a program");
    let adjoint = reverse(&primal, &primal.params).expect("reversible");
    let zero = || Array::<f64>::float(0.0);
    let args = vec![zero(), zero(), Array::float(1.0), zero(), Array::float(1.0)];
    let ran = run(&adjoint, args, &no_paths).expect("it runs");
    assert_eq!((ran.params[1].real(), ran.params[3].real()), (0.0, 2.0));
}

#[test]
fn results_that_are_written_several_times_take_their_seed() {
    let text = program(
        "
        fn f(x: in f64[_], n: in usize) -> r: f64, s: f64
          r = x[0]
          s = 1.0
          for i in 1..n
            r = r * x[i] + s
            s = s * r
        ",
    );
    reversed(&text, &[x5(), Array::int(5)]);
}

#[test]
fn integer_variables_are_provided_as_well() {
    let text = program(
        "
        fn f(x: inout f64[_], idx: in usize[_], n: in usize)
          scope p: usize
            p = 0
            for i in 0..n
              if x[i] > 0.0
                p = p + idx[i]
              scope q: usize
                q = (p + idx[i]) % n
                x[q] = x[q] * x[p % n] + x[i]
        ",
    );
    reversed(&text, &[x5(), Array::usizes(&[1, 4, 0, 3, 2]), Array::int(5)]);
}

#[test]
fn a_value_that_is_used_by_the_reversal_is_computed_once() {
    let text = program(
        "
        fn f(x: in f64[_], y: in f64[_], n: in usize) -> r: f64
          r = 0.0
          for i in 0..n
            r += exp(x[i]) * y[i]
        ",
    );
    let program = reversed(&text, &[x5(), x5(), Array::int(5)]);
    assert_eq!(program.to_string().matches("exp(").count(), 1, "{program}");
    assert_eq!(tapes(&program), [""; 0]);
    let guarded = text.replace("exp(x[i]) * y[i]", "max(exp(x[i]), y[i])");
    let program = reversed(&guarded, &[x5(), x5(), Array::int(5)]);
    assert!(!program.to_string().contains("exp_of"), "what may get nothing has no name: {program}");
}

#[test]
fn a_reciprocal_is_reversed_by_its_value() {
    let text = program(
        "
        fn f(x: in f64[_], n: in usize) -> r: f64
          r = 0.0
          for i in 0..n
            scope t: f64
              t = 1.0 / (1.0 + exp(-x[i]))
              r += t * t
        ",
    );
    let program = reversed(&text, &[x5(), Array::int(5)]);
    assert_eq!(program.to_string().matches(" / ").count(), 1, "{program}");
    // all digits where the function is nearly one
    let x = [30.0, -30.0, 20.0, 0.0, 3.0];
    let args = [Array::floats(&x), Array::floats(&[0.0; 5]), Array::int(5), Array::float(1.0)];
    let outcome = run::<f64>(&program, args.to_vec(), &no_paths).expect("it runs");
    for (x, d) in x.into_iter().zip(outcome.params[1].reals()) {
        let (e, by) = ((-x).exp(), 1.0 / (1.0 + (-x).exp()));
        let exact = 2.0 * by * by * by * e;
        assert!((d - exact).abs() <= 1e-15 * exact, "{x}: {d} {exact}");
    }
    let other = reversed(&text.replace("1.0 / (", "2.0 / ("), &[x5(), Array::int(5)]);
    assert!(other.to_string().matches(" / ").count() > 1, "{other}");
}

#[test]
fn a_value_that_stays_where_it_was_assigned_is_found_there() {
    let text = program(
        "
        fn f(x: in f64[_], y: inout f64[_], n: in usize)
          for i in 0..n marks(store)
            y[i] = exp(x[i])
          OVERWRITE
        ",
    );
    let exps = |overwrite: &str| {
        let program = reversed(&text.replace("OVERWRITE", overwrite), &[x5(), x5(), Array::int(5)]);
        assert_eq!(tapes(&program), [""; 0]);
        program.to_string().matches("exp(").count()
    };
    assert_eq!(exps("y[0] = 1.0"), 2, "y[0] is overwritten");
    assert_eq!(exps("check n > 0 \"n\""), 1);
}

#[test]
fn arrays_with_a_cheap_definition_are_computed_again() {
    let text = program(
        "
        fn f(x: in f64[_], n: in usize) -> r: f64
          r = 0.0
          for i in 0..n marks(store)
            scope q: f64[3]
              for j in 0..3
                q[j] = VALUE
              for k in 0..3
                r += q[k] * q[2 - k]
        ",
    );
    let tapes_of = |value: &str| tapes(&reversed(&text.replace("VALUE", value), &[x5(), Array::int(5)]));
    assert_eq!(tapes_of("x[i] - x[j] * 2.0"), [""; 0]);
    assert_eq!(tapes_of("sin(x[i] - x[j])"), ["q_tape rank 2"], "it is costly");
    assert_eq!(tapes_of("x[i] - r"), ["q_tape rank 2"], "r is not in place");
    let text = program(
        "
        fn f(x: in f64[_], n: in usize) -> r: f64
          r = 1.0
          for i in 0..n
            scope q: f64[n]
              for j in 0..n
                q[j] = x[i] * x[j] + x[j]
                for k in 0..=j
                  r = r * sin(q[k] * x[j])
        ",
    );
    let program = reversed(&text, &[x5(), Array::int(5)]);
    assert!(tapes(&program).iter().all(|tape| !tape.starts_with("q_tape")), "{program}");
}

#[test]
fn what_a_scope_in_a_scope_defines_is_a_definition() {
    // `v` is computed again from `e`
    let text = "fn f(x: in f64[_], y: inout f64[_], n: in usize)
  for t in 0..n
    for i in 0..n
      scope v: f64
        scope u: f64, e: f64
          u = y[i] * x[i]
          e = u * u
          v = 1.0 / (1.0 + e)
        y[i] = y[i] * v
";
    let args = [Array::floats(&[0.3, -0.6, 0.9]), Array::floats(&[0.5, 0.7, -0.2]), Array::int(3)];
    let adjoint = reversed(text, &args);
    assert_eq!(tapes(&adjoint), ["y_tape rank 2", "e_tape rank 2", "u_tape rank 2"], "{adjoint}");
}

#[test]
fn what_a_condition_in_a_scope_defines_is_none() {
    let text = "fn f(x: in f64[_], y: inout f64[_], n: in usize)
  for t in 0..n
    for i in 0..n
      scope v: f64
        v = 1.0
        if x[i] > 0.0
          v = y[i] * x[i]
        y[i] = y[i] * v * v
";
    let args = [Array::floats(&[0.3, -0.6, 0.9]), Array::floats(&[0.5, 0.7, -0.2]), Array::int(3)];
    let adjoint = reversed(text, &args);
    assert!(tapes(&adjoint).iter().any(|tape| tape.starts_with("v_tape")), "{adjoint}");
}
