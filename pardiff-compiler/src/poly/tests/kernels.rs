//! The standard kernels: what must be known of them.

use super::build::*;
use crate::ir::*;
use crate::poly::{AccessId, AccessKind, Analysis, Answer, Reason};

/// `for i in 0..n { y[i] = y[i] * x[i] }`
#[test]
fn an_update_in_place_overwrites_what_it_read() {
    let mut b = Builder::new();
    let x = b.slice("x", Ty::F64, Role::Input);
    let y = b.slice("y", Ty::F64, Role::InOut);
    let size = b.scalar("n", Ty::USIZE, Role::Input);
    let (i, at) = b.iter("i");
    let product = b.at(y, vec![at.clone()]) * b.at(x, vec![at.clone()]);
    let body = vec![assign(Place::new(y, vec![at]), product)];
    b.program.body = vec![for_loop(i, n(0), b.get(size), body)];
    let analysis = Analysis::new(&b.program);
    let [read, write] = analysis.of(y) else { panic!("two accesses") };
    assert_eq!(analysis.overwritten_after(*read).answer, Answer::Yes);
    assert_eq!(analysis.overwritten_after(*write).answer, Answer::No);
    assert_eq!(analysis.carries(i, *write, *read).answer, Answer::No);
    assert_eq!(analysis.overwritten_after(analysis.of(x)[0]).reason, Reason::NeverWritten);
}

/// `for i in 1..n { y[i] = y[i - 1] * x[i] }`
#[test]
fn a_recurrence_reads_what_is_not_overwritten() {
    let mut b = Builder::new();
    let y = b.slice("y", Ty::F64, Role::InOut);
    let size = b.scalar("n", Ty::USIZE, Role::Input);
    let (i, at) = b.iter("i");
    let before = b.at(y, vec![at.clone() - n(1)]);
    let body = vec![assign(Place::new(y, vec![at]), before)];
    b.program.body = vec![for_loop(i, n(1), b.get(size), body)];
    let analysis = Analysis::new(&b.program);
    let [read, write] = analysis.of(y) else { panic!("two accesses") };
    assert_eq!(analysis.overwritten_after(*read).answer, Answer::No);
    let carried = analysis.carries(i, *write, *read);
    assert_eq!((carried.answer, carried.distance), (Answer::Yes, Some(1)));
    assert_eq!(analysis.carries(i, *read, *write).answer, Answer::No);
}

/// `for i in 0..n { s += x[i] * y[i] }`
#[test]
fn a_dot_product_carries_a_reduction_only() {
    let mut b = Builder::new();
    let (x, y) = (b.slice("x", Ty::F64, Role::Input), b.slice("y", Ty::F64, Role::Input));
    let size = b.scalar("n", Ty::USIZE, Role::Input);
    let sum = b.scalar("sum", Ty::F64, Role::Output);
    let (i, at) = b.iter("i");
    let product = b.at(x, vec![at.clone()]) * b.at(y, vec![at.clone()]);
    let body = vec![b.check(x, at.clone()), b.check(y, at), add_to(Place::scalar(sum), product)];
    b.program.body =
        vec![assign(Place::scalar(sum), Expr::float(Ty::F64, 0.0)), for_loop(i, n(0), b.get(size), body)];
    let analysis = Analysis::new(&b.program);
    let [carried] = analysis.carried_by(i)[..] else { panic!("one buffer") };
    assert_eq!((carried.buffer, carried.reduction), (sum, Some((Answer::Yes, ReduceOp::Add))));
    assert!(carried.is_reduction_only() && !carried.is_independent());
}

/// ```text
/// for t in 0..steps {
///     for i in 1..n - 1 { v[i] = u[i - 1] + u[i + 1]; }
///     swap(u, v);
/// }
/// ```
#[test]
fn a_stencil_over_time_is_parallel_in_space_and_affecting_in_time() {
    let mut b = Builder::new();
    let (u, v) = (b.slice("u", Ty::F64, Role::InOut), b.slice("v", Ty::F64, Role::InOut));
    let (size, steps) = (b.scalar("n", Ty::USIZE, Role::Input), b.scalar("steps", Ty::USIZE, Role::Input));
    let (t, _) = b.iter("t");
    let (i, at) = b.iter("i");
    let sum = b.at(u, vec![at.clone() - n(1)]) + b.at(u, vec![at.clone() + n(1)]);
    let sweep = for_loop(i, n(1), b.get(size) - n(1), vec![assign(Place::new(v, vec![at]), sum)]);
    let body = vec![sweep, stmt(StmtKind::Swap { a: u, b: v })];
    b.program.body = vec![for_loop(t, n(0), b.get(steps), body)];
    let analysis = Analysis::new(&b.program);
    let reads = analysis.of(u)[..2].to_vec();
    assert!(analysis.carried_by(i).iter().all(|carried| carried.is_independent()));
    assert_eq!(analysis.affecting(i, u, &reads), Answer::No);
    assert_ne!(analysis.affecting(t, u, &reads), Answer::No);
    assert_ne!(analysis.overwritten_after(reads[0]).answer, Answer::No);
    // `n - 1` wraps for an empty slice: the sweep then runs until a check fails
    assert!(analysis.access(reads[0]).index[0].is_some());
}

/// `for t in 0..steps { for i in 1..n { u[i] = u[i] + u[i - 1] } }`
#[test]
fn a_prefix_in_place_is_overwritten() {
    let mut b = Builder::new();
    let u = b.slice("u", Ty::F64, Role::InOut);
    let size = b.scalar("n", Ty::USIZE, Role::Input);
    let (i, at) = b.iter("i");
    let sum = b.at(u, vec![at.clone()]) * b.at(u, vec![at.clone() - n(1)]);
    b.program.body = vec![for_loop(i, n(1), b.get(size), vec![assign(Place::new(u, vec![at]), sum)])];
    let analysis = Analysis::new(&b.program);
    let [own, before, write] = analysis.of(u) else { panic!("three accesses") };
    assert_eq!(analysis.overwritten_after(*own).answer, Answer::Yes);
    assert_eq!(analysis.overwritten_after(*before).answer, Answer::No);
    assert_eq!(analysis.affecting(i, u, &[*own]), Answer::No, "u[i] is read before anything writes it");
    assert_eq!(analysis.carries(i, *write, *before).distance, Some(1));
}

/// `for i in 0..n { s = b[i]; for j in 0..i { s -= l[i * n + j] * x[j] } x[i] = s / l[i * n + i] }`
#[test]
fn a_triangular_solve_reads_what_is_final() {
    let mut b = Builder::new();
    let (l, x) = (b.slice("l", Ty::F64, Role::Input), b.slice("x", Ty::F64, Role::InOut));
    let size = b.scalar("n", Ty::USIZE, Role::Input);
    let s = b.scalar("s", Ty::F64, Role::Local);
    let ((i, row), (j, column)) = (b.iter("i"), b.iter("j"));
    let entry = b.at(l, vec![row.clone() * b.get(size) + column.clone()]);
    let inner = for_loop(j, n(0), row.clone(), vec![add_to(Place::scalar(s), entry * b.at(x, vec![column]))]);
    let first = assign(Place::scalar(s), b.at(x, vec![row.clone()]));
    let last = assign(Place::new(x, vec![row]), b.get(s));
    b.program.body = vec![for_loop(i, n(0), b.get(size), vec![scope(&[s], vec![first, inner, last])])];
    let analysis = Analysis::new(&b.program);
    let [own, solved, write] = analysis.of(x) else { panic!("three accesses") };
    assert_eq!(analysis.overwritten_after(*own).answer, Answer::Yes);
    assert_eq!(analysis.overwritten_after(*solved).answer, Answer::No);
    assert_eq!(analysis.overwritten_after(*write).answer, Answer::No);
    assert_eq!(analysis.affecting(i, x, &[*solved]), Answer::Yes, "x[j] is written before it is read");
    assert_eq!(analysis.affecting(j, x, &[*solved]), Answer::No);
    // the local lives in an iteration of `i`
    assert!(
        analysis.of(s).iter().all(|&a| analysis.of(s).iter().all(|&b| analysis.carries_any(i, a, b).is_no()))
    );
}

/// `for i in 0..n { for k in start[i]..start[i + 1] { y[i] += value[k] * x[column[k]] } }`
#[test]
fn a_sparse_product_is_independent_by_rows() {
    let usize_slice = |b: &mut Builder, name| b.slice(name, Ty::USIZE, Role::Input);
    let mut b = Builder::new();
    let (start, column) = (usize_slice(&mut b, "start"), usize_slice(&mut b, "column"));
    let (value, x) = (b.slice("value", Ty::F64, Role::Input), b.slice("x", Ty::F64, Role::Input));
    let (y, z) = (b.slice("y", Ty::F64, Role::InOut), b.slice("z", Ty::F64, Role::InOut));
    let size = b.scalar("n", Ty::USIZE, Role::Input);
    let ((i, row), (k, at)) = (b.iter("i"), b.iter("k"));
    let indirect = b.at(column, vec![at.clone()]);
    let product = b.at(value, vec![at.clone()]) * b.at(x, vec![indirect.clone()]);
    let body = vec![
        add_to(Place::new(y, vec![row.clone()]), product),
        assign(Place::new(z, vec![indirect]), b.at(value, vec![at])),
    ];
    let (lo, hi) = (b.at(start, vec![row.clone()]), b.at(start, vec![row + n(1)]));
    b.program.body = vec![for_loop(i, n(0), b.get(size), vec![for_loop(k, lo, hi, body)])];
    let analysis = Analysis::new(&b.program);
    let by_row = analysis.carried_by(i);
    assert!(
        by_row.iter().find(|carried| carried.buffer == y).is_some_and(|carried| carried.is_independent())
    );
    assert_eq!(
        by_row.iter().find(|carried| carried.buffer == z).map(|carried| carried.output),
        Some(Answer::Unknown)
    );
    let by_entry = analysis.carried_by(k);
    let sum = by_entry.iter().find(|carried| carried.buffer == y);
    assert_eq!(sum.and_then(|carried| carried.reduction), Some((Answer::Unknown, ReduceOp::Add)));
    assert!(
        analysis.of(x).iter().all(|&read| analysis.overwritten_after(read).reason == Reason::NeverWritten)
    );
}

/// A flat matrix that is updated in place, row after row, with what is above: every access is checked.
fn flat(lo: usize, step: usize) -> (Builder, IterId, BufferId) {
    let mut b = Builder::new();
    let a = b.slice("a", Ty::F64, Role::InOut);
    let (rows, width) = (b.scalar("n", Ty::USIZE, Role::Input), b.scalar("m", Ty::USIZE, Role::Input));
    let ((i, row), (j, column)) = (b.iter("i"), b.iter("j"));
    let own = row * b.get(width) + column;
    let above = own.clone() - b.get(width);
    let update = assign(Place::new(a, vec![own.clone()]), b.at(a, vec![own.clone()]));
    let mut body = vec![b.check(a, own), update];
    if lo > 0 {
        body.insert(0, b.check(a, above.clone()));
        body.push(assign(Place::new(a, vec![above.clone()]), b.at(a, vec![above])));
    }
    let inner = for_loop(j, n(0), b.get(width), body);
    let hi = b.get(rows);
    b.program.body = vec![for_with(i, n(lo as i128), hi, false, step, Order::Up, vec![inner])];
    (b, i, a)
}

#[test]
fn rows_of_a_flat_array_are_disjoint_where_nothing_wraps() {
    let (b, i, a) = flat(0, 1);
    let analysis = Analysis::new(&b.program);
    let strides = analysis.strides(a).expect("rows and columns");
    assert_eq!((strides.strides.len(), strides.requires.len()), (2, 0));
    assert!(analysis.carried_by(i).iter().all(|carried| carried.is_independent()));
}

#[test]
fn rows_that_may_wrap_are_not_believed() {
    // with m = 1 << 62 row 4 is row 0 again, and no check of a row between them fails
    for (lo, step) in [(4, 1), (0, 4)] {
        let (b, i, a) = flat(lo, step);
        let analysis = Analysis::new(&b.program);
        assert!(analysis.strides(a).is_none_or(|strides| !strides.requires.is_empty()));
        assert!(analysis.carried_by(i).iter().any(|carried| !carried.is_independent()));
    }
}

/// How often an array is divided into rows of length `stride`. A row has so many columns that are accessed.
fn divided(stride: &str, columns: &str) -> usize {
    let program = crate::equivalence::program(&format!(
        "
        fn f(a: inout f64[_], n: in usize, m: in usize, q: in usize)
          for i in 0..n
            for k in 0..q
              for j in 0..{columns}
                check (i * (q + 1) + k) * ({stride}) + j < len(a) index \"a\" \"a[i, k, j]\"
                a[(i * (q + 1) + k) * ({stride}) + j] = 2.0 * a[(i * (q + 1) + k) * ({stride}) + j]
        "
    ));
    let a = program.buffer_ids().find(|&id| program[id].name == "a").expect("the array");
    Analysis::new(&program).strides(a).map_or(0, |strides| strides.index.len())
}

#[test]
fn rows_may_be_a_sum_long() {
    for (stride, columns) in [("m + 2", "m"), ("m + 1", "m"), ("m", "m")] {
        assert_eq!(divided(stride, columns), 2, "{stride}, {columns}");
    }
    for (stride, columns) in [("m + 2", "m + 3"), ("m + 2", "n"), ("m - 1", "m")] {
        assert_eq!(divided(stride, columns), 0, "{stride}, {columns}");
    }
}

/// ```text
/// for i in 0..n {
///     for j in 0..=i {
///         s = a[i * n + j];
///         for k in 0..j { s -= a[i * n + k] * a[j * n + k]; }
///         a[i * n + j] = s;
///     }
/// }
/// ```
#[test]
fn a_factorisation_in_place_reads_what_is_final() {
    let mut b = Builder::new();
    let a = b.slice("a", Ty::F64, Role::InOut);
    let size = b.scalar("n", Ty::USIZE, Role::Input);
    let s = b.scalar("s", Ty::F64, Role::Local);
    let ((i, row), (j, column), (k, at)) = (b.iter("i"), b.iter("j"), b.iter("k"));
    let index = |b: &Builder, row: &Expr, column: &Expr| row.clone() * b.get(size) + column.clone();
    let (own, left, other) = (index(&b, &row, &column), index(&b, &row, &at), index(&b, &column, &at));
    let product = b.at(a, vec![left.clone()]) * b.at(a, vec![other.clone()]);
    let subtract = vec![b.check(a, left), b.check(a, other), add_to(Place::scalar(s), product)];
    let body = vec![
        b.check(a, own.clone()),
        assign(Place::scalar(s), b.at(a, vec![own.clone()])),
        for_loop(k, n(0), column, subtract),
        assign(Place::new(a, vec![own]), b.get(s)),
    ];
    let inner = for_with(j, n(0), row, true, 1, Order::Up, vec![scope(&[s], body)]);
    b.program.body = vec![for_loop(i, n(0), b.get(size), vec![inner])];
    let analysis = Analysis::new(&b.program);
    let [own, left, other, write] = analysis.of(a) else { panic!("four accesses") };
    assert!(analysis.strides(a).is_some_and(|strides| strides.requires.is_empty()));
    assert_ne!(analysis.overwritten_after(*own).answer, Answer::No);
    for read in [left, other] {
        assert_eq!(analysis.overwritten_after(*read).answer, Answer::No);
    }
    assert_eq!(analysis.overwritten_after(*write).answer, Answer::No);
}

/// `for i in 0..n { t[i] = x[i] } for i in 0..n { y[i] = t[i] }` covers; one element less does not.
#[test]
fn what_is_written_covers_what_is_read() {
    for (short, covered) in [(0, Answer::Yes), (1, Answer::No)] {
        let mut b = Builder::new();
        let (x, y) = (b.slice("x", Ty::F64, Role::Input), b.slice("y", Ty::F64, Role::InOut));
        let size = b.scalar("n", Ty::USIZE, Role::Input);
        let t = b.buffer("t", Ty::F64, vec![b.get(size)], Role::Local);
        let ((i, from), (j, to)) = (b.iter("i"), b.iter("j"));
        let write = assign(Place::new(t, vec![from.clone()]), b.at(x, vec![from]));
        let read = assign(Place::new(y, vec![to.clone()]), b.at(t, vec![to]));
        let loops =
            vec![for_loop(i, n(short), b.get(size), vec![write]), for_loop(j, n(0), b.get(size), vec![read])];
        b.program.body = vec![scope(&[t], loops)];
        let analysis = Analysis::new(&b.program);
        let [write, read] = analysis.of(t) else { panic!("two accesses") };
        assert_eq!(analysis.covers(*read, &[*write], &[]), covered);
    }
}

/// The rows `start = i * m` and `start + m` of a slice that was checked as a whole.
#[test]
fn an_alias_of_a_row_keeps_its_row() {
    let mut b = Builder::new();
    let a = b.slice("a", Ty::F64, Role::InOut);
    let (rows, width) = (b.scalar("n", Ty::USIZE, Role::Input), b.scalar("m", Ty::USIZE, Role::Input));
    let (start, end) = (b.scalar("start", Ty::USIZE, Role::Local), b.scalar("end", Ty::USIZE, Role::Local));
    let ((i, row), (j, column)) = (b.iter("i"), b.iter("j"));
    let len = Expr::extent(a, 0);
    let (from, to) = (b.get(start), b.get(end));
    let ordered = Expr::binary(BinOp::Le, from.clone(), to.clone());
    let cond = Expr::binary(BinOp::BitAnd, ordered, Expr::binary(BinOp::Le, to.clone(), len.clone()));
    let access = "a[i * m..(i + 1) * m]".to_owned();
    let message = Message::Slice { array: "a".to_owned(), access, start: from.clone(), end: to.clone(), len };
    let at = from.clone() + column.clone();
    let body = vec![
        assign(Place::scalar(start), row.clone() * b.get(width)),
        assign(Place::scalar(end), (row + n(1)) * b.get(width)),
        stmt(StmtKind::Check { cond, message }),
        for_loop(
            j,
            n(0),
            b.get(width),
            vec![
                stmt(StmtKind::Check {
                    cond: lt(column, to - from),
                    message: Message::Text("row".to_owned()),
                }),
                assign(Place::new(a, vec![at.clone()]), b.at(a, vec![at])),
            ],
        ),
    ];
    b.program.body = vec![for_loop(i, n(0), b.get(rows), vec![scope(&[start, end], body)])];
    let analysis = Analysis::new(&b.program);
    assert!(analysis.strides(a).is_some_and(|strides| strides.requires.is_empty()));
    assert!(analysis.carried_by(i).iter().all(|carried| carried.is_independent()));
}

/// Rows of a matrix change places while it is factorised; `first` and `rows` are what the row of the pivot begins as, and where it
/// is looked for. Whether the rows that were chosen stay.
fn rows_stay(first: &str, rows: &str) -> bool {
    let program = crate::equivalence::program(&format!(
        "
        fn f(m: inout f64[n, n], w: in f64[_], n: in usize)
          for k in 0..n
            scope p: usize
              p = {first}
              for i in {rows}
                if w[i] > 0.5
                  p = i
              for j in 0..n
                m[p, j] = m[k, j]
              for i.2 in k + 1..n
                for j.2 in 0..n
                  m[i.2, j.2] = m[i.2, j.2] - m[k, j.2]
        "
    ));
    let m = program.buffer_ids().find(|&id| program[id].name == "m").expect("the matrix");
    let analysis = Analysis::new(&program);
    let is_read = |id: &&AccessId| analysis.access(**id).kind == AccessKind::Read;
    let chosen = *analysis.of(m).iter().filter(is_read).nth(2).expect("the row of `k` in the last loop");
    analysis.overwritten_after(chosen).answer.is_no()
}

#[test]
fn a_local_of_several_values_is_not_less_than_the_first_if_none_is() {
    assert!(rows_stay("k", "k + 1..n"));
    assert!(rows_stay("k", "k..n"));
    assert!(!rows_stay("k", "0..n"));
    assert!(!rows_stay("0", "k + 1..n"));
    assert!(!rows_stay("w[k] as usize", "k + 1..n"));
}

/// `for i in 0..n { y[q * n + c + 3 * i] = y[q * n + c + 3 * i] }`, where the index may wrap, and the same with two times `i`
#[test]
fn odd_steps_are_apart_whatever_wraps() {
    for (step, answer) in [(1, Answer::No), (3, Answer::No), (-1, Answer::No), (2, Answer::Unknown)] {
        let mut b = Builder::new();
        let y = b.slice("y", Ty::F64, Role::InOut);
        let [size, q, c] = ["n", "q", "c"].map(|name| b.scalar(name, Ty::USIZE, Role::Input));
        let (i, at) = b.iter("i");
        let base = b.get(q) * b.get(size) + b.get(c);
        let index = if step < 0 { base - at } else { base + at * n(step) };
        let value = b.at(y, vec![index.clone()]);
        b.program.body =
            vec![for_loop(i, n(0), b.get(size), vec![assign(Place::new(y, vec![index]), value)])];
        let analysis = Analysis::new(&b.program);
        let [read, write] = analysis.of(y) else { panic!("two accesses") };
        assert_eq!(analysis.carries(i, *write, *read).answer, answer, "{step}");
        assert_eq!(analysis.carries(i, *write, *write).answer, answer, "{step}");
    }
}
