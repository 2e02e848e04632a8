//! The fit: the negative log-posterior per point, minimised by L-BFGS with the generated gradient.

use crate::Model;
use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{CostFunction, Error, Executor, Gradient, IterState, KV, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use indicatif::{ProgressBar, ProgressStyle};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

const ITERATIONS: u64 = 500;
const SECONDS: u64 = 30;
const LINES: u64 = 25;
const TOLERANCE: f64 = 1e-5;

/// How a fit ended.
pub struct Fit {
    /// The parameters, flat.
    pub parameters: Vec<f64>,
    /// Why it stopped, in words.
    pub stopped: String,
    /// Iterations made.
    pub iterations: u64,
    /// Gradients evaluated.
    pub evaluations: usize,
    /// Wall time.
    pub seconds: f64,
    /// Cost per point at the start and after each iteration.
    pub costs: Vec<f64>,
}

/// The cost that argmin sees. Value and gradient come from one call, which the line search asks for one after the
/// other, so the last one is kept.
struct Cost<'a> {
    model: &'a Model,
    last: Rc<RefCell<Last>>,
}

#[derive(Default)]
struct Last {
    parameters: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    evaluations: usize,
    /// Of the iterations, not of the evaluations.
    costs: Vec<f64>,
}

impl Cost<'_> {
    fn evaluate(&self, parameters: &[f64]) -> std::cell::Ref<'_, Last> {
        if self.last.borrow().parameters != parameters {
            let mut last = self.last.borrow_mut();
            let (value, gradient) = self.model.log_posterior(parameters);
            let scale = -1.0 / self.model.problem.n as f64;
            last.value = scale * value;
            last.gradient = gradient.iter().map(|g| scale * g).collect();
            last.parameters = parameters.to_vec();
            last.evaluations += 1;
        }
        self.last.borrow()
    }
}

impl CostFunction for Cost<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, parameters: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.evaluate(parameters).value)
    }
}

impl Gradient for Cost<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, parameters: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.evaluate(parameters).gradient.clone())
    }
}

/// Prints a line of the table now and then, and moves the bar.
struct Progress {
    bar: ProgressBar,
    last: Rc<RefCell<Last>>,
}

type Iteration = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

impl Progress {
    fn show(&self, iteration: u64, state: &Iteration) {
        let value = state.get_cost();
        self.last.borrow_mut().costs.push(value);
        let norm = state.get_gradient().map_or(f64::NAN, |g| crate::reference::norm(g));
        self.bar.set_position(iteration);
        self.bar.set_message(format!("cost {value:.6}  |gradient| {norm:.2e}"));
        if iteration.is_multiple_of(ITERATIONS / LINES) {
            let evaluations = self.last.borrow().evaluations;
            self.bar
                .suspend(|| println!("  {iteration:>9}  {value:>16.9}  {norm:>12.4e}  {evaluations:>11}"));
        }
    }
}

impl Observe<Iteration> for Progress {
    fn observe_init(&mut self, _: &str, state: &Iteration, _: &KV) -> Result<(), Error> {
        self.bar.suspend(|| println!("  iteration  cost (per point)  |gradient|    evaluations"));
        self.show(0, state);
        Ok(())
    }

    fn observe_iter(&mut self, state: &Iteration, _: &KV) -> Result<(), Error> {
        // the state counts the iterations before this one
        self.show(state.get_iter() + 1, state);
        Ok(())
    }
}

/// Fits the mixture from the parameters of the file.
pub fn fit(model: &Model, start: Vec<f64>) -> Result<Fit, Error> {
    let clock = Instant::now();
    let last = Rc::new(RefCell::new(Last::default()));
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 10).with_tolerance_grad(TOLERANCE)?;
    let style = ProgressStyle::with_template("  {bar:40} {pos}/{len}  {msg}")?;
    let bar = ProgressBar::new(ITERATIONS).with_style(style);
    let progress = Progress { bar: bar.clone(), last: last.clone() };
    let result = Executor::new(Cost { model, last: last.clone() }, solver)
        .configure(|state| state.param(start).max_iters(ITERATIONS))
        .timeout(Duration::from_secs(SECONDS))
        .add_observer(progress, ObserverMode::Always)
        .run()?;
    bar.finish_and_clear();
    let mut state = result.state;
    let stopped = match state.get_termination_reason() {
        Some(reason) => reason.text().to_string(),
        None => state.get_termination_status().to_string(),
    };
    let iterations = state.get_iter();
    let parameters = state.take_best_param().ok_or_else(|| Error::msg("the solver kept no parameters"))?;
    let seconds = clock.elapsed().as_secs_f64();
    let Last { evaluations, costs, .. } = last.take();
    Ok(Fit { parameters, stopped, iterations, evaluations, seconds, costs })
}
