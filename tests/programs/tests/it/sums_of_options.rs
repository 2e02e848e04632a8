//! Sums, products and vectors of `Option`s and `Result`s, which end at the first that holds nothing.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
fn logarithms(x: &[f64]) -> f64 {
    let sum = x.iter().map(|v| if *v > 0.0 { Some(v.ln()) } else { None }).sum::<Option<f64>>();
    let product: Option<f64> = x.iter().map(|v| (*v > 0.1).then(|| v * v)).product();
    let count: Option<i32> = x.iter().map(|v| (*v < 2.0).then_some(1)).sum();
    sum.unwrap_or(x[0]) + product.unwrap_or(0.5 * x[1]) * count.map_or(3.0, f64::from)
}

#[differentiate]
mod kernels {
    #[derive(Debug)]
    pub struct Negative;

    fn root(v: f64) -> Result<f64, Negative> {
        if v >= 0.0 { Ok(v.sqrt()) } else { Err(Negative) }
    }

    fn total(x: &[f64]) -> Result<f64, Negative> {
        let sum = x.iter().map(|v| root(*v)).sum::<Result<f64, Negative>>()?;
        let roots = x.iter().map(|v| root(v + 0.1)).collect::<Result<Vec<f64>, _>>()?;
        Ok(sum * roots.iter().map(|r| r * r * r).sum::<f64>())
    }

    pub fn f(x: &[f64]) -> f64 {
        let Some(ratios) =
            x.windows(2).map(|w| (w[1] != 0.0).then(|| w[0] / w[1])).collect::<Option<Vec<f64>>>()
        else {
            return x[0];
        };
        total(x).unwrap_or(-x[1]) + ratios.iter().map(|r| r.sin()).sum::<f64>()
    }
}

#[test]
fn up_to_the_first_that_holds_nothing() {
    for (seed, shift) in [(1, 1.5), (2, 0.0), (3, 1.2)] {
        let x: Vec<f64> = random(seed, 7).into_iter().map(|v| v + shift).collect();
        let (value, g) = logarithms::gradient(&x);
        assert!((value - logarithms(&x)).abs() < 1e-12 * (1.0 + value.abs()));
        check(|v| logarithms(&v[0]), &[&x], &[&g.x]);
        let (value, g) = kernels::f::gradient(&x);
        assert!((value - kernels::f(&x)).abs() < 1e-11 * (1.0 + value.abs()));
        check(|v| kernels::f(&v[0]), &[&x], &[&g.x]);
    }
    let x = [1.0, 0.0, 2.0];
    assert_eq!(kernels::f::gradient(&x).1.x, [1.0, 0.0, 0.0]);
}
