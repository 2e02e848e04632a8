//! Which extrema are pointed out.

use super::point_out;
use crate::equivalence::{assert_pass, assert_unchanged, program};
use crate::ir::Program;
use crate::ir::interp::Array;

fn pointed_out(program: Program) -> Program {
    point_out(program)
}

/// A loop over rows with a running maximum of what `stmts` compute.
fn rows(stmts: &[&str]) -> String {
    let head = [
        "fn f(x: in f64[_], at: in usize[_], y: inout f64[_], z: inout f64[_])",
        "  for i in 0..len(y)",
        "    scope m: f64",
        "      m = 0.5",
        "      for k in at[i]..at[i + 1]",
    ];
    let stmts = stmts.iter().map(|stmt| format!("        {stmt}"));
    let lines: Vec<String> = head.iter().map(|&line| line.to_owned()).chain(stmts).collect();
    lines.join("\n") + "\n      y[i] += m"
}

fn runs() -> Vec<Vec<Array<f64>>> {
    let nan = f64::NAN;
    let x = [1.0, 3.0, 3.0, 0.1, 0.2, nan, 0.5, nan, nan];
    vec![vec![
        Array::floats(&x),
        Array::ints(&[0, 3, 5, 7, 9, 9]),
        Array::floats(&[0.0; 5]),
        Array::floats(&[0.0; 9]),
    ]]
}

#[test]
fn the_first_element_that_attains_a_maximum_is_found() {
    let before = rows(&[
        "scope e: f64",
        "  check k < len(x) \"x[k]\"",
        "  e = x[k] * 2.0",
        "  z[k] = e + 1.0",
        "  if e < 100.0",
        "    m max= z[k]",
    ]);
    let after = "fn f(x: in f64[_], at: in usize[_], y: inout f64[_], z: inout f64[_])
  for i in 0..len(y)
    scope m: f64
      m = 0.5
      scope m_all: f64, m_at: usize, m_best: f64
        m_all = m
        for k in at[i]..at[i + 1]
          scope e: f64
            check k < len(x) \"x[k]\"
            e = x[k] * 2.0
            z[k] = e + 1.0
            if e < 100.0
              m_all max= z[k]
        if !is_nan(m_all) & !(m == m_all)
          m_at = 18446744073709551615
          for k.2 in at[i]..at[i + 1]
            scope e.2: f64
              e.2 = x[k.2] * 2.0
              if e.2 < 100.0
                if z[k.2] == m_all
                  m_at min= k.2
          if m_at == 18446744073709551615
            m_best = f64::NAN
            for k.4 in at[i]..at[i + 1]
              scope e.4: f64
                e.4 = x[k.4] * 2.0
                if e.4 < 100.0
                  if !(m_best >= z[k.4]) & !is_nan(z[k.4])
                    m_best = z[k.4]
                    m_at = k.4
          m = -0.0
          for k.3 in at[i]..at[i + 1]
            if k.3 == m_at
              scope e.3: f64
                e.3 = x[k.3] * 2.0
                if e.3 < 100.0
                  m += z[k.3]
      y[i] += m
";
    assert_pass(pointed_out, &before, after, runs());
}

#[test]
fn what_cannot_be_computed_again_stays() {
    let stays = |stmts: &[&str]| assert_unchanged(pointed_out, &rows(stmts));
    // the running value is read
    stays(&["m max= x[k]", "z[k] = m"]);
    // the element changes after it was read, or another iteration changes it
    stays(&["m max= z[k]", "z[k] = 1.0"]);
    stays(&["z[k / 2] = x[k]", "m max= z[k / 2]"]);
    stays(&["z[k] = x[k]", "z[0] = 1.0", "m max= z[k]"]);
    stays(&["scope e: f64", "  e = z[k]", "  z[k] = x[k]", "  m max= e + z[k]"]);
    // an array of the iteration
    stays(&["scope e: f64[2]", "  e[0] = x[k]", "  m max= e[0]"]);
    // a variable that lives longer
    stays(&["scope e: f64", "  for j in 0..k", "    e += x[j]", "  m max= e"]);
    // from the last to the first
    let down = rows(&["m max= x[k]"]).replace("at[i + 1]\n", "at[i + 1] down\n");
    assert_unchanged(pointed_out, &down);
    // the same number of iterations for all rows
    let even = rows(&["m max= x[k]"]).replace("at[i]..at[i + 1]", "0..len(x)");
    assert_unchanged(pointed_out, &even);
}

/// Steps over time of a field of rows, as long as the greatest speed allows; `stmts` are of a cell.
fn steps(stmts: &[&str]) -> String {
    let head = [
        "fn f(u: inout f64[_], y: inout f64[_], rows: in usize, columns: in usize)",
        "  for round in 0..len(y)",
        "    scope m: f64, speed: f64[len(u)]",
        "      m = 1.5",
        "      for j in 0..rows",
        "        scope w: f64",
        "          w = 1.0 + j as f64",
        "          for i in 0..columns",
    ];
    let stmts = stmts.iter().map(|stmt| format!("            {stmt}"));
    let tail = ["      for k in 0..rows * columns", "        u[k] += y[round] / m", "      y[round] += m"];
    let lines = head.iter().map(|&line| line.to_owned()).chain(stmts);
    lines.chain(tail.iter().map(|&line| line.to_owned())).collect::<Vec<_>>().join("\n")
}

fn fields() -> Vec<Vec<Array<f64>>> {
    let field = |u: &[f64], rows: i128, columns: i128| {
        vec![Array::floats(u), Array::floats(&[0.3, 0.2, 0.1]), Array::int(rows), Array::int(columns)]
    };
    let nan = f64::NAN;
    vec![
        field(&[0.5, 2.0, -3.0, 0.25, 1.0, 1.0], 2, 3),
        field(&[0.5, 1.0, nan, 0.5, 0.5, nan], 3, 2),
        field(&[1.5, 0.75], 2, 1),
        field(&[nan, nan], 1, 2),
        field(&[], 0, 3),
    ]
}

#[test]
fn the_first_iteration_of_a_nest_is_found_a_loop_at_a_time() {
    let index = "j * columns + i";
    let before = steps(&[
        &format!("check {index} < len(u) \"u[{index}]\""),
        &format!("speed[{index}] = w * u[{index}]"),
        &format!("m max= speed[{index}]"),
    ]);
    let after = pointed_out(crate::ir::parse(&before).expect("a program")).to_string();
    let expected = "      scope m_all: f64, m_at: usize, m_at.2: usize, m_best: f64
        m_all = m
        for j in 0..rows
          scope w: f64
            w = 1.0 + j as f64
            for i in 0..columns
              check j * columns + i < len(u) \"u[j * columns + i]\"
              speed[j * columns + i] = w * u[j * columns + i]
              m_all max= speed[j * columns + i]
        if !is_nan(m_all) & !(m == m_all)
          m_at = 18446744073709551615
          for j.2 in 0..rows
            for i.2 in 0..columns
              if speed[j.2 * columns + i.2] == m_all
                m_at min= j.2
          m_at.2 = 18446744073709551615
          for j.3 in 0..rows
            if j.3 == m_at
              for i.3 in 0..columns
                if speed[j.3 * columns + i.3] == m_all
                  m_at.2 min= i.3
          if m_at.2 == 18446744073709551615
            m_best = f64::NAN
            for j.4 in 0..rows
              for i.4 in 0..columns
                if !(m_best >= speed[j.4 * columns + i.4]) & !is_nan(speed[j.4 * columns + i.4])
                  m_best = speed[j.4 * columns + i.4]
                  m_at = j.4
                  m_at.2 = i.4
          m = -0.0
          for j.5 in 0..rows
            if j.5 == m_at
              for i.5 in 0..columns
                if i.5 == m_at.2
                  m += speed[j.5 * columns + i.5]
";
    assert!(after.contains(expected), "{after}");
    assert_pass(pointed_out, &before, &after, fields());
}

#[test]
fn several_extrema_of_one_nest_are_pointed_out() {
    let program = steps(&["y[0] max= u[0]", "m max= w * u[j * columns + i]"]);
    let both = program
        .replace("scope m: f64,", "scope m: f64, low: f64,")
        .replace("m = 1.5", "m = 1.5\n      low = 9.0");
    let both = both.replace("y[0] max= u[0]", "low min= u[j * columns + i]");
    let both = both.replace("y[round] += m", "y[round] += m + low");
    let after = pointed_out(crate::ir::parse(&both).expect("a program")).to_string();
    assert!(after.contains("low_all min=") && after.contains("m_all max="), "{after}");
    assert_pass(pointed_out, &both, &after, fields());
}

#[test]
fn a_variable_that_rows_carry_is_no_function_of_one_iteration() {
    let carried = steps(&["w += u[j * columns + i]", "m max= w"]);
    assert_unchanged(pointed_out, &carried);
    // the row is written again by the next one
    let again = steps(&["speed[i] = w * u[j * columns + i]", "m max= speed[i]"]);
    let after = pointed_out(crate::ir::parse(&again).expect("a program")).to_string();
    assert!(
        after.contains(
            "for j in 0..rows\n        scope w: f64\n          w = 1.0 + j as f64\n          scope m_all"
        ),
        "{after}"
    );
    assert_pass(pointed_out, &again, &after, fields());
}

#[test]
fn the_greatest_number_of_a_type_is_an_iteration_of_an_inclusive_range() {
    let before = "
        fn f(x: in f64[_], from: in u8, to: in u8) -> m: f64
          m = 0.5
          for k: u8 in from..=to
            m max= x[k as usize - 250]
        ";
    let after = pointed_out(program(before)).to_string();
    assert!(after.contains("m_at == 255"), "{after}");
    let run =
        |last: f64| vec![Array::floats(&[1.0, 2.0, 1.5, 0.5, 2.0, last]), Array::int(251), Array::int(255)];
    assert_pass(pointed_out, before, &after, vec![run(3.0), run(2.0), run(f64::NAN)]);
}
