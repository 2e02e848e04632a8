//! What each kind of statement does.

use super::{execute, program, result};
use crate::ir::interp::{Array, Dual, Given, ModPrime, Value, run};

#[test]
fn a_dot_product_over_all_numbers() {
    let text = "
        fn dot(x: in f64[_], y: in f64[len(x)]) -> total: f64
          total = 0.0
          for i in 0..len(x)
            total += x[i] * y[i]
    ";
    let out = result(text, vec![Array::floats(&[1.0, 2.0]), Array::floats(&[3.0, 4.0])]);
    assert_eq!(out.real(), 11.0);
    let x = Array::floats(&[1.0, 2.0]).with_tangents(&[1.0, 0.5]);
    let out = execute::<Dual>(text, vec![x, Array::floats(&[3.0, 4.0])]).unwrap();
    assert_eq!((out.results[0].real(), out.results[0].tangents()), (11.0, vec![5.0]));
    let out = execute::<ModPrime>(text, vec![Array::floats(&[1.0, -2.0]), Array::floats(&[3.0, 4.0])]);
    let five = Value::Float(ModPrime::new(-5));
    assert_eq!(out.unwrap().results[0], Array::scalar(five));
}

/// The values that an `i32` iterator takes.
fn visited(range: &str, n: i128) -> Vec<i128> {
    let text = format!(
        "
        fn f(n: in i32) -> out: i32[100], count: usize
          count = 0
          for i: i32 in {range}
            out[count] = i
            count = count + 1
        "
    );
    let out = execute::<f64>(&text, vec![Array::int(n)]).unwrap();
    let count = out.results[1].integers()[0] as usize;
    out.results[0].integers()[..count].to_vec()
}

#[test]
fn loops_visit_what_rust_visits() {
    let std = |range: &mut dyn Iterator<Item = i32>| range.map(i128::from).collect::<Vec<_>>();
    for n in [-4, -3, 0, 1, 7, 8, i32::MAX] {
        let lo = if n > 100 { n - 5 } else { -3 };
        let text = lo.to_string();
        let of = |rest: &str| visited(&format!("{text}{rest}"), i128::from(n));
        assert_eq!(of("..n"), std(&mut (lo..n)));
        assert_eq!(of("..=n"), std(&mut (lo..=n)));
        assert_eq!(of("..n down"), std(&mut (lo..n).rev()));
        assert_eq!(of("..=n step 3"), std(&mut (lo..=n).step_by(3)));
        assert_eq!(of("..n step 3 down"), std(&mut (lo..n).step_by(3).rev()));
        let mut upwards = std(&mut (lo..=n).step_by(4));
        upwards.reverse();
        assert_eq!(of("..=n step 4 down"), upwards);
    }
    assert_eq!(visited("-2147483648..=n step 2000000000", 2147483647), [-2147483648, -147483648, 1852516352]);
}

#[test]
fn bounds_are_evaluated_once() {
    let text = "
        fn f() -> n: usize
          n = 3
          for i in 0..n
            n = n + 1
    ";
    assert_eq!(result(text, vec![]).integers(), [6]);
}

#[test]
fn a_while_loop_counts() {
    let text = "
        fn f(x: in f64) -> trips: usize, y: f64
          scope go: bool
            y = x
            loop k
              go = y > 1.0
              while go
              y = y / 2.0
              trips = k
            trips = trips + 1
    ";
    let out = execute::<f64>(text, vec![Array::float(10.0)]).unwrap();
    assert_eq!((out.results[0].integers(), out.results[1].real()), (vec![4], 0.625));
}

#[test]
fn branches_guards_and_tasks() {
    let text = "
        fn f(n: in usize) -> a: f64, b: f64
          a = 0.0
          b = 0.0
          if n > 2
            a += 1.0
          else
            a += 2.0
          guard n > 5
            a += 4.0
          otherwise
            a += 8.0
          fork
            task
              b += 1.0
            task
              a += 16.0
    ";
    let values = |n| {
        let out = execute::<f64>(text, vec![Array::int(n)]).unwrap();
        (out.results[0].real(), out.results[1].real())
    };
    assert_eq!(values(1), (26.0, 1.0));
    assert_eq!(values(3), (25.0, 1.0));
    assert_eq!(values(6), (21.0, 1.0));
}

#[test]
fn reductions() {
    let text = "
        fn f(x: in f64[_], k: in i32[_]) -> sum: f64, least: f64, most: f64, largest: i32
          sum = 0.0
          least = x[0]
          most = x[0]
          largest = k[0]
          for i in 0..len(x)
            sum += x[i]
            least min= x[i]
            most max= x[i]
            largest max= k[i]
    ";
    let args = vec![Array::floats(&[2.0, f64::NAN, -3.0, 5.0]), Array::ints(&[1, 9, -3, 2])];
    let out = execute::<f64>(text, args).unwrap();
    assert!(out.results[0].real().is_nan());
    assert_eq!(out.results[1].real(), -3.0, "NaN loses");
    assert_eq!(out.results[2].real(), 5.0);
    assert_eq!(out.results[3].integers(), [9]);
}

#[test]
fn a_running_maximum_belongs_to_its_first_winner() {
    let text = "
        fn f(x: in f64[_]) -> most: f64
          most = x[0]
          for i in 1..len(x)
            most max= x[i]
    ";
    let tangents = |x: &[f64]| {
        let x = Array::floats(x).with_tangents(&[1.0, 10.0, 100.0]);
        execute::<Dual>(text, vec![x]).unwrap().results[0].tangents()[0]
    };
    assert_eq!(tangents(&[1.0, 3.0, 3.0]), 10.0);
    assert_eq!(tangents(&[3.0, 3.0, 3.0]), 1.0);
    assert_eq!(tangents(&[1.0, 2.0, 3.0]), 100.0);
}

#[test]
fn parameters_come_back_as_they_are_left() {
    let text = "
        fn f(x: in f64[_], y: inout f32[_, 2], n: in usize)
          y[n, 1] += x[0] as f32
    ";
    let y = Array::floats(&[0.0, 1.0, 2.0, 0.1]).shaped(&[2, 2]);
    let out = execute::<f64>(text, vec![Array::floats(&[1.0]), y, Array::int(1)]).unwrap();
    let expected = f64::from(0.1f32 + 1.0);
    assert_eq!(out.params[1].reals(), [0.0, 1.0, 2.0, expected]);
    assert_eq!((out.params[0].reals(), out.params[2].integers()), (vec![1.0], vec![1]));
}

#[test]
fn swaps_exchange_contents() {
    let text = "
        fn f(n: in usize) -> out: f64
          scope a: f64[n], b: f64[n]
            a[0] = 1.0
            b[0] = 2.0
            swap a, b
            out = a[0] * 10.0 + b[0]
    ";
    assert_eq!(result(text, vec![Array::int(3)]).real(), 21.0);
}

#[test]
fn storage_grows_where_it_is_written_or_reached() {
    let text = "
        fn f(start: in usize[_]) -> out: f64, length: usize
          scope a: f64[_, 2] growing, r: f64[_, 2] reached
            for i in 0..3
              for j in 0..2
                a[i, j] = (i * 10 + j) as f64
            length = len(a)
            call reach [2] reads() writes(r)
            for i.2 in 0..len(start) down
              for j.2 in 0..i.2 + 1
                r[i.2, j.2] = a[i.2, 1] + j.2 as f64
            out = a[2, 1] * 100.0 + r[1, 1] * 1.0 + r[0, 0] / 10.0
    ";
    let out = execute::<f64>(text, vec![Array::usizes(&[0, 1])]).unwrap();
    assert_eq!((out.results[0].real(), out.results[1].integers()), (2100.0 + 12.0 + 0.1, vec![3]));
    // what is reached does not grow as it is written
    let short = text.replace("reach [2]", "reach [1]");
    assert!(execute::<f64>(&short, vec![Array::usizes(&[0, 1])]).is_err());
}

#[test]
fn elements_of_every_layout_are_apart() {
    for layout in ["", " padded(4)", " triangular"] {
        let text = format!(
            "
            fn f() -> sum: f64
              sum = 0.0
              scope a: f64[4, 4]{layout}
                for i in 0..4
                  for j in 0..=i
                    a[i, j] = (i * i + j) as f64
                for i.2 in 0..4
                  for j.2 in 0..=i.2
                    sum += a[i.2, j.2]
            "
        );
        let expected: usize = (0..4).flat_map(|i| (0..=i).map(move |j| i * i + j)).sum();
        assert_eq!(result(&text, vec![]).real(), expected as f64, "{layout}");
    }
}

#[test]
fn user_paths_and_tables_are_given() {
    let text = "
        fn f(n: in usize) -> out: f64
          table W: f64[_] = \"W\"
          opaque SCALE: f64 = \"SCALE\"
          opaque FAST: bool = \"FAST\"
          out = select(FAST, W[n] * SCALE, 0.0) + len(W) as f64
    ";
    let p = program(text);
    let out = run::<f64>(&p, vec![Array::int(1)], &|id| {
        Some(match p[id].text.as_str() {
            "W" => Given::Table(Array::floats(&[3.0, 4.0])),
            "SCALE" => Given::Value(Value::Float(10.0)),
            _ => Given::Value(Value::Bool(true)),
        })
    });
    assert_eq!(out.unwrap().results[0].real(), 42.0);
}

#[test]
fn functions_of_the_user_are_given() {
    let text = "
        fn f(x: in f64, k: in i32) -> out: f64
          opaque bessel: f64 = \"bessel\"
          out = attach(apply(bessel, k, x + 1.0), 0.5, x)
    ";
    let p = program(text);
    assert_eq!(program(&p.to_string()).to_string(), p.to_string());
    let bessel = |args: &[Value<f64>]| match *args {
        [Value::Int(k), Value::Float(x)] => Value::Float(k as f64 * 10.0 + x),
        _ => Value::Bool(false),
    };
    let args = || vec![Array::float(2.0), Array::int(3)];
    let out = run::<f64>(&p, args(), &|_| Some(Given::Function(bessel)));
    assert_eq!(out.unwrap().results[0].real(), 33.0);
    assert!(run::<f64>(&p, args(), &|_| None).is_err());
}

#[test]
fn scopes_may_be_entered_again() {
    let text = "
        fn f(n: in usize) -> out: usize
          out = 0
          for i in 0..n
            scope t: usize[i]
              out = out + len(t)
    ";
    assert_eq!(result(text, vec![Array::int(5)]).integers(), [10]);
}
