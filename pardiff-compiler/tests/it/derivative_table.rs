//! The points of `derivatives.txt`, and how far a derivative may be off there.

/// Operands, and the partial derivatives there.
pub struct Point {
    pub operands: Vec<f64>,
    pub slopes: Vec<f64>,
}

/// The points of the table for a function, or those whose numbers are numbers of `f32` as well.
pub fn points(function: &str, arity: usize, single: bool) -> Vec<Point> {
    let lines = include_str!("derivatives.txt").lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let own = lines.filter(|words| words[0] == function);
    let of = own.map(|words| {
        let numbers: Vec<f64> = words[1..].iter().map(|word| word.parse().expect("a number")).collect();
        Point { operands: numbers[..arity].to_vec(), slopes: numbers[arity..].to_vec() }
    });
    let (least, greatest) = (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
    let is_single = |x: &f64| f64::from(*x as f32) == *x && (*x == 0.0 || x.abs() >= least);
    let has_slope = |x: &f64| x.abs() <= greatest && (*x == 0.0 || x.abs() >= least);
    let fits = |point: &Point| point.operands.iter().all(is_single) && point.slopes.iter().all(has_slope);
    of.filter(|point| !single || fits(point)).collect()
}

/// What is wrong with the derivatives that were found at a point.
pub fn wrong(function: &str, point: &Point, found: &[f64], single: bool) -> Option<String> {
    let (ulp, least) = match single {
        true => (f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE)),
        false => (f64::EPSILON, f64::MIN_POSITIVE),
    };
    let (ulps, size) = allowed(function, &point.operands);
    let is_off = |(&found, &expected): (&f64, &f64)| {
        // what is below the least normal number may be zero
        let most = ulps * ulp * expected.abs().max(size) + least;
        (found - expected).abs().is_nan() || (found - expected).abs() > most
    };
    let off = found.iter().zip(&point.slopes).any(is_off);
    off.then(|| format!("{function}{:?}: {found:?} instead of {:?}\n", point.operands, point.slopes))
}

/// How far a derivative may be off, in ulp of its type, and below which size an error is one of an ulp of that size.
fn allowed(function: &str, operands: &[f64]) -> (f64, f64) {
    let x = operands[0];
    match function {
        // the exponent is rounded, and the power has the condition of the exponent
        "powf" => (8.0 + 2.0 * ((operands[1] - 1.0) * x.ln()).abs(), 0.0),
        // from the value, see the table
        "tanh" => (8.0, 1.0),
        // the square is rounded
        "erf" | "erfc" => (8.0 + 2.0 * x * x, 0.0),
        // differences of terms of this size
        "ln_gamma" | "gamma" => (if x < 0.0 { 32.0 } else { 16.0 }, 0.5 / x.abs().max(1.0)),
        "j0" | "j1" => (8.0, x.abs().max(1.0).sqrt().recip()),
        _ => (8.0, 0.0),
    }
}
