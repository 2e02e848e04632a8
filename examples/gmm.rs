//! Fits a Gaussian mixture to an ADBench data file, with a gradient that `#[differentiate]` made.
//!
//! ```text
//! cargo run --release --example gmm -- [path of another ADBench gmm file] [--picture PATH.svg]
//! ```
//!
//! First the value and the gradient at the file's parameters are checked: against the values of other tools where
//! they are known, otherwise against dual numbers along random directions. Then L-BFGS maximises the posterior of a
//! mixture: of three components for the measurements of penguins, whose species it finds, or of the file that was
//! named. A picture shows data and fitted components in two dimensions, and the way there.

#[path = "gmm/clusters.rs"]
mod clusters;
#[path = "gmm/dual.rs"]
mod dual;
#[path = "gmm/fit.rs"]
mod fit;
#[path = "../workloads/gmm.rs"]
mod kernel;
#[path = "gmm/penguins.rs"]
mod penguins;
#[path = "gmm/picture.rs"]
mod picture;
#[path = "gmm/reference.rs"]
mod reference;

use kernel::gmm;
use pardiff_inputs::mixture::Problem;
use penguins::Penguins;
use picture::Picture;
use reference::{Error, Reference, relative};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const DEFAULT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/gmm_d10_K25.txt");
const KNOWN: &str = include_str!("data/known.reference");
const TOLERANCE: f64 = 1e-9;
const DIRECTIONS: u64 = 8;

/// A problem, and the objective as a function of one flat vector of parameters.
pub struct Model {
    problem: Problem,
}

impl Model {
    /// The parameters of the file: alphas, means, factors.
    fn parameters(&self) -> Vec<f64> {
        let Problem { alphas, means, icf, .. } = &self.problem;
        [alphas.as_slice(), means, icf].concat()
    }

    /// Value and gradient, with the Wishart term weighted by `prior`.
    fn gradient(&self, parameters: &[f64], prior: f64) -> (f64, Vec<f64>) {
        let Problem { d, k, n, x, gamma, m, constant, .. } = &self.problem;
        let (alphas, rest) = parameters.split_at(*k);
        let (means, icf) = rest.split_at(k * d);
        let mut gradient = vec![0.0; parameters.len()];
        let (d_alphas, d_rest) = gradient.split_at_mut(*k);
        let (d_means, d_icf) = d_rest.split_at_mut(k * d);
        let value = gmm::grad(
            alphas, d_alphas, means, d_means, icf, d_icf, x, *d, *k, *n, *gamma, *m, prior, *constant,
        );
        (value, gradient)
    }

    /// ADBench's objective, which adds the Wishart term.
    fn adbench(&self, parameters: &[f64]) -> (f64, Vec<f64>) {
        self.gradient(parameters, 1.0)
    }

    /// The log-posterior, from which the Wishart term is subtracted: this one has a maximum.
    fn log_posterior(&self, parameters: &[f64]) -> (f64, Vec<f64>) {
        self.gradient(parameters, -1.0)
    }
}

fn main() -> ExitCode {
    let result = arguments(std::env::args_os().skip(1)).and_then(|(path, picture)| run(&path, &picture));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The data file and where the picture goes.
fn arguments(mut arguments: impl Iterator<Item = OsString>) -> Result<(PathBuf, PathBuf), String> {
    let (mut path, mut picture) = (None, None);
    while let Some(argument) = arguments.next() {
        let place = if argument == "--picture" { &mut picture } else { &mut path };
        let value = if argument == "--picture" { arguments.next() } else { Some(argument) };
        let value = value.ok_or("--picture needs the path of an SVG file")?;
        if place.replace(PathBuf::from(value)).is_some() {
            return Err("at most one ADBench gmm file, and one --picture PATH".to_owned());
        }
    }
    let target =
        || std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| Path::new(ROOT).join("target"), PathBuf::from);
    Ok((path.unwrap_or_else(|| PathBuf::from(DEFAULT)), picture.unwrap_or_else(|| target().join("gmm.svg"))))
}

fn run(path: &Path, picture: &Path) -> Result<(), String> {
    let problem = Problem::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let model = Model { problem };
    let Problem { d, k, n, .. } = model.problem;
    println!("{}", path.display());
    println!("  {n} points in {d} dimensions, {k} components, {} parameters", model.parameters().len());

    check(path, &model)?;
    if path != Path::new(DEFAULT) {
        let fitted = fit(&model, model.parameters())?;
        return draw(&model, &fitted, ["first dimension", "second dimension"], picture);
    }

    let penguins = Penguins::new();
    let starts = penguins.starts();
    let Penguins { problem, species } = penguins;
    let model = Model { problem };
    println!("penguins: {} of three species, by four measurements", species.len());
    check_slopes(&model)?;
    let fits = starts.into_iter().map(|start| fit(&model, start)).collect::<Result<Vec<_>, _>>()?;
    let best = fits.iter().max_by(|a, b| a.log_posterior.total_cmp(&b.log_posterior)).expect("a start");
    println!("best of {} starts: log-posterior {:.6}", fits.len(), best.log_posterior);
    draw(&model, best, ["length of the bill, standardised", "depth of the bill, standardised"], picture)?;
    let found = clusters::clusters(&model.problem, &best.fit.parameters);
    let right = penguins::in_the_component_of_their_species(&found, &species);
    println!("  {right} of {} penguins are in the component of their species", species.len());
    Ok(())
}

/// A fit, and the log-posterior that it came to.
struct Fitted {
    fit: fit::Fit,
    log_posterior: f64,
}

/// Maximises the posterior.
fn fit(model: &Model, start: Vec<f64>) -> Result<Fitted, String> {
    println!("fit: negative log-posterior per point, L-BFGS");
    let (before, _) = model.log_posterior(&start);
    let fit = fit::fit(model, start).map_err(|error| format!("the fit failed: {error}"))?;
    let (log_posterior, gradient) = model.log_posterior(&fit.parameters);
    println!(
        "  {} iterations, {} gradients, {:.1} s: {}",
        fit.iterations, fit.evaluations, fit.seconds, fit.stopped
    );
    println!(
        "  log-posterior {before:.6} -> {log_posterior:.6}, |gradient| {:.3e}",
        reference::norm(&gradient)
    );
    Ok(Fitted { fit, log_posterior })
}

/// Draws a fit, with names for the first two dimensions.
fn draw(model: &Model, Fitted { fit, .. }: &Fitted, axes: [&str; 2], picture: &Path) -> Result<(), String> {
    let drawing = Picture { problem: &model.problem, parameters: &fit.parameters, costs: &fit.costs, axes };
    drawing.write(picture).map_err(|error| format!("{}: {error}", picture.display()))?;
    println!("picture: {}", picture.display());
    Ok(())
}

/// Compares value and gradient at the file's parameters with what is known of them, and prints the errors.
fn check(path: &Path, model: &Model) -> Result<(), String> {
    let problem = &model.problem;
    let (value, gradient) = model.adbench(&model.parameters());
    println!("objective {value:.9}, |gradient| {:.9}", reference::norm(&gradient));

    let mut errors = Vec::new();
    let found = Reference::find(path, problem.fingerprint, KNOWN)?;
    if let Some((reference, place)) = &found {
        println!("check against {place}");
        errors.extend(report(reference.compare(value, &gradient)?));
    }
    accurate(errors)?;
    match found.is_some_and(|(reference, _)| reference.is_complete()) {
        true => Ok(()),
        false => check_slopes(model),
    }
}

/// Compares value and gradient at the model's parameters with dual numbers, and prints the errors.
fn check_slopes(model: &Model) -> Result<(), String> {
    let (value, gradient) = model.adbench(&model.parameters());
    println!("check against dual numbers along {DIRECTIONS} random directions");
    accurate(report(directional_errors(&model.problem, value, &gradient)))
}

/// Whether all errors are small.
fn accurate(errors: Vec<Error>) -> Result<(), String> {
    // an error that is not a number is one, too
    match errors.into_iter().find(|error| error.relative.is_nan() || error.relative > TOLERANCE) {
        Some(error) => {
            Err(format!("{} is off by {:.1e}, more than {TOLERANCE:e} relative", error.what, error.relative))
        }
        None => Ok(()),
    }
}

fn report(errors: Vec<Error>) -> Vec<Error> {
    for error in &errors {
        println!("  {:<32} relative error {:.1e}", error.what, error.relative);
    }
    errors
}

/// The value and the slopes along random directions, by dual numbers through code of its own.
fn directional_errors(problem: &Problem, value: f64, gradient: &[f64]) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut state = 1u64;
    for number in 1..=DIRECTIONS {
        let direction: Vec<f64> = gradient.iter().map(|_| uniform(&mut state)).collect();
        let expected = dual::objective(problem, &direction);
        let slope: f64 = gradient.iter().zip(&direction).map(|(g, v)| g * v).sum();
        if number == 1 {
            errors.push(Error { what: "value".into(), relative: relative(value, expected.value) });
        }
        let what = format!("slope along direction {number}");
        errors.push(Error { what, relative: relative(slope, expected.slope) });
    }
    errors
}

/// The next number of a linear congruential generator, in [-1, 1).
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT, arguments};
    use std::path::PathBuf;

    fn parsed(words: &[&str]) -> Result<(PathBuf, PathBuf), String> {
        arguments(words.iter().map(|&word| word.into()))
    }

    #[test]
    fn takes_a_file_and_a_picture_in_any_order() {
        let expected = Ok(("data.txt".into(), "fit.svg".into()));
        assert_eq!(parsed(&["data.txt", "--picture", "fit.svg"]), expected);
        assert_eq!(parsed(&["--picture", "fit.svg", "data.txt"]), expected);
        let Ok((path, picture)) = parsed(&[]) else { panic!("no arguments are fine") };
        assert_eq!(path, PathBuf::from(DEFAULT));
        assert!(picture.ends_with("gmm.svg"));
        assert!(parsed(&["a", "b"]).is_err() && parsed(&["--picture"]).is_err());
    }
}
