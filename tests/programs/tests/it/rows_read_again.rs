//! Records whose members are computed from members that were written just before.

use pardiff::differentiate;

/// By index, as people write points in one array.
#[differentiate(check, wrt(x, y))]
pub fn points(x: &[f64], y: &mut [f64]) {
    for i in 0..x.len() {
        y[3 * i] = x[i].sin();
        y[3 * i + 1] = y[3 * i] * 2.0;
        y[3 * i + 2] = y[3 * i + 1] * x[i] + y[3 * i];
    }
}

/// Members that are added to.
#[differentiate(check, wrt(x, y))]
pub fn added(x: &[f64], y: &mut [[f64; 4]]) {
    for i in 0..x.len() {
        y[i][0] += x[i];
        y[i][1] += x[i] * x[i];
        y[i][2] += y[i][0];
        y[i][3] += x[i].exp() * y[i][1];
    }
}

/// Members that are assigned, and then added to.
#[differentiate(check, wrt(x, y))]
pub fn assigned(x: &[f64], y: &mut [[f64; 4]]) {
    for i in 0..x.len() {
        y[i][0] = x[i];
        y[i][1] = x[i] * x[i];
        y[i][2] = y[i][0] * y[i][1];
        y[i][3] = y[i][2] * x[i].exp();
        y[i][0] += y[i][3];
    }
}

/// Records behind an index.
#[differentiate(check, wrt(x, y))]
pub fn indexed(x: &[f64], y: &mut [[f64; 3]], at: &[usize]) {
    for i in 0..x.len() {
        let j = at[i];
        y[j][0] += x[i];
        y[j][1] += y[j][0] * x[i];
        y[j][2] += y[j][1].sin();
    }
}

/// A function, its generated value and its derivatives, for some numbers of records.
macro_rules! agrees {
    ($function:ident, $of:expr $(, $at:ident)?) => {
        for n in [0_usize, 1, 7, 8, 29] {
            let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.37).sin()).collect();
            $(let $at: Vec<usize> = (0..n).map(|i| (i * 5 + 2) % n).collect();)?
            let (mut own, mut generated, mut checked) = ($of(n), $of(n), $of(n));
            $function(&x, &mut own $(, &$at)?);
            $function::value(&x, &mut generated $(, &$at)?);
            assert_eq!(format!("{own:.12?}"), format!("{generated:.12?}"), "{n}");
            $function::check(&x, &mut checked $(, &$at)?).unwrap();
        }
    };
}

#[test]
fn what_was_written_is_read() {
    agrees!(points, |n| vec![0.5; 3 * n]);
    agrees!(added, |n| vec![[0.5, -0.25, 1.0, 0.75]; n]);
    agrees!(assigned, |n| vec![[0.5, -0.25, 1.0, 0.75]; n]);
    agrees!(indexed, |n| vec![[0.5, -0.25, 1.0]; n], at);
}
