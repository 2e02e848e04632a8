//! Errors that are computed, aliases of `Result`, and what is printed on the way.

use pardiff::differentiate;
use std::fmt;

#[derive(Debug, PartialEq)]
pub struct Failure {
    text: String,
    at: usize,
}

impl Failure {
    fn new(text: &str, at: usize) -> Failure {
        Failure { text: text.to_owned(), at }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.text, self.at)
    }
}

impl std::error::Error for Failure {}

type Result<T, E = Failure> = std::result::Result<T, E>;

/// The logarithm of a product.
#[differentiate(check)]
pub fn logarithms(x: &[f64]) -> Result<f64> {
    let mut sum = 0.0;
    for (i, v) in x.iter().enumerate() {
        if *v <= 0.0 {
            return Err(Failure::new("no logarithm", i + 1));
        }
        sum += v.ln();
    }
    Ok(sum)
}

/// The same with any error.
#[differentiate]
pub fn roots(x: &[f64], k: usize) -> std::result::Result<f64, Box<dyn std::error::Error>> {
    let v = x.get(k).ok_or_else(|| format!("no element {k} of {}", x.len()))?;
    if *v < 0.0 {
        return Err(Box::new(Failure::new("no root", x.len() - 1)));
    }
    Ok(v.sqrt())
}

/// What is printed is printed by the function.
#[differentiate(check)]
pub fn printed(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] * x[i];
        #[cfg(debug_assertions)]
        eprintln!("{i}: {sum:.3}, {}", x[i]);
    }
    #[cfg(debug_assertions)]
    assert!(sum >= 0.0, "a square");
    #[cfg(debug_assertions)]
    let scale = 2.0;
    #[cfg(not(debug_assertions))]
    let scale = 2.0;
    dbg!(scale * sum) + sum
}

#[test]
fn errors_are_those_of_the_function() {
    let mut d_x = [0.0; 3];
    assert_eq!(logarithms::grad(&[1.0, 0.0, 2.0], &mut d_x), Err(Failure::new("no logarithm", 2)));
    assert_eq!(d_x, [0.0; 3]);
    let value = logarithms::grad(&[1.0, 4.0, 2.0], &mut d_x).expect("a value");
    assert_eq!((value, d_x), (logarithms(&[1.0, 4.0, 2.0]).expect("a value"), [1.0, 0.25, 0.5]));
    logarithms::check(&[0.5, 1.5]).expect("right derivatives");
    let (_, gradient) = logarithms::gradient(&[2.0]).expect("a value");
    assert_eq!(gradient.x, [0.5]);
}

#[test]
fn errors_of_any_type() {
    let text =
        |result: std::result::Result<f64, Box<dyn std::error::Error>>| result.map_err(|e| e.to_string());
    let mut d_x = [0.0; 2];
    assert_eq!(text(roots::grad(&[4.0, -1.0], &mut d_x, 5)), Err("no element 5 of 2".to_owned()));
    assert_eq!(text(roots::grad(&[4.0, -1.0], &mut d_x, 1)), Err("no root at 1".to_owned()));
    assert_eq!(text(roots::grad(&[4.0, -1.0], &mut d_x, 0)), Ok(2.0));
    assert_eq!(d_x, [0.25, 0.0]);
}

#[test]
fn printing_changes_no_derivative() {
    printed::check(&[0.5, -1.5]).expect("right derivatives");
    let (value, gradient) = printed::gradient(&[1.0, 2.0]);
    assert_eq!((value, gradient.x), (15.0, vec![6.0, 12.0]));
}
