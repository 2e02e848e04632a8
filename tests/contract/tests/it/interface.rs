use super::{agrees, close};
use pardiff_contract_tests::{interface, marks, private};

#[test]
fn parameters_of_every_kind() {
    let (slice, rows) = (vec![0.5, -1.0, 2.0], vec![[1.0, 2.0, 3.0], [0.1, 0.2, 0.3]]);
    let (fixed, grid, owned) = ([1.0, 2.0], [[0.5, 1.5], [2.5, 3.5]], [4.0, 5.0]);
    let weights = [3, -2, 1];
    for flag in [true, false] {
        let value = |s: f64, slice: &[f64], rows: &[[f64; 3]], grid: &[[f64; 2]; 2]| {
            interface::kinds(s, &1.5, slice, rows, &fixed, grid, owned, 3, flag, &weights)
        };
        let (got, g) =
            interface::kinds::gradient(0.7, &1.5, &slice, &rows, &fixed, &grid, owned, 3, flag, &weights);
        close(got, value(0.7, &slice, &rows, &grid));
        close(
            got,
            interface::kinds::value(0.7, &1.5, &slice, &rows, &fixed, &grid, owned, 3, flag, &weights),
        );
        agrees(g.scalar, |s| value(s, &slice, &rows, &grid), 0.7);
        agrees(
            g.by_ref,
            |s| interface::kinds(0.7, &s, &slice, &rows, &fixed, &grid, owned, 3, flag, &weights),
            1.5,
        );
        for i in 0..3 {
            let at = |x: f64| {
                let mut slice = slice.clone();
                slice[i] = x;
                value(0.7, &slice, &rows, &grid)
            };
            agrees(g.slice[i], at, slice[i]);
            for row in 0..2 {
                let at = |x: f64| {
                    let mut rows = rows.clone();
                    rows[row][i] = x;
                    value(0.7, &slice, &rows, &grid)
                };
                agrees(g.rows[row][i], at, rows[row][i]);
            }
        }
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let at = |x: f64| {
                let mut grid = grid;
                grid[i][j] = x;
                value(0.7, &slice, &rows, &grid)
            };
            agrees(g.grid[i][j], at, grid[i][j]);
        }
        for i in 0..2 {
            let at = |x: f64| {
                let mut owned = owned;
                owned[i] = x;
                interface::kinds(0.7, &1.5, &slice, &rows, &fixed, &grid, owned, 3, flag, &weights)
            };
            agrees(g.owned[i], at, owned[i]);
        }
    }
}

#[test]
fn gradients_add_up_and_the_into_forms_overwrite() {
    let (w, x) = ([1.0, 2.0], [3.0, 4.0]);
    let mut d_w = [100.0, 100.0];
    assert_eq!(interface::only_w::grad(&w, &mut d_w, &x), 19.0);
    assert_eq!(d_w, [106.0, 116.0]);
    interface::only_w::grad_into(&w, &mut d_w, &x);
    assert_eq!(d_w, [6.0, 16.0]);
    interface::only_w::vjp(&w, &mut d_w, &x, 0.5);
    assert_eq!(d_w, [9.0, 24.0]);
    interface::only_w::vjp_into(&w, &mut d_w, &x, -1.0);
    assert_eq!(d_w, [-6.0, -16.0]);
    let (value, gradient) = interface::only_w::gradient(&w, &x);
    assert_eq!((value, gradient.w.as_slice()), (19.0, [6.0, 16.0].as_slice()));
    assert_eq!(gradient.clone(), gradient);
    assert_eq!(format!("{gradient:?}"), "Gradient { w: [6.0, 16.0] }");
}

#[test]
fn both_float_types_in_one_function() {
    let (value, gradient) = interface::mixed::gradient(&[1.0, 2.0], 0.5);
    assert_eq!(value, 2.5_f32);
    assert_eq!(gradient.x, [1.0_f32, 2.0]);
    assert_eq!(gradient.s, 5.0_f64);
}

#[test]
fn generics() {
    assert_eq!(interface::lifetimes::gradient(&[2.0], &[3.0], &[1.0]).1.y, [2.0]);
    let mut d_x = 0.0;
    assert_eq!(interface::unfixed::grad::<3>(2.0, &mut d_x), 8.0);
    assert_eq!(d_x, 12.0);
    assert_eq!(interface::unfixed::gradient::<0>(2.0).1.x, 0.0);
    assert_eq!(interface::unfixed::value::<4>(2.0), 16.0);
    assert_eq!(interface::many::gradient(1.0, 2.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0).1.c, 2.0);
}

#[test]
fn attributes() {
    #[allow(deprecated)]
    let (value, _) = marks::deprecated::gradient(3.0);
    assert_eq!(value, 9.0);
    assert_eq!(marks::present::gradient(3.0).1.x, 6.0);
    assert_eq!(marks::switched::gradient(3.0).1.x, 6.0);
    assert_eq!(marks::LoudName::gradient(3.0).1.x, 6.0);
    assert_eq!(private::uses(), (15.0, 3.0, 16.0, 2.0));
}

#[test]
fn the_plan_names_the_function() {
    assert!(interface::only_w::DECISIONS.starts_with("only_w: "), "{}", interface::only_w::DECISIONS);
}
