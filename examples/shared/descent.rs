//! Minimisation by L-BFGS with a generated gradient, and a progress bar.

use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{CostFunction, Error, Executor, Gradient, IterState, KV, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use indicatif::{ProgressBar, ProgressStyle};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

const SECONDS: u64 = 60;

/// Value and gradient, which the line search asks for one after the other, so the last ones are kept.
struct Cost<F> {
    function: F,
    last: RefCell<(Vec<f64>, f64, Vec<f64>)>,
}

impl<F: Fn(&[f64]) -> (f64, Vec<f64>)> Cost<F> {
    fn at(&self, p: &[f64]) -> std::cell::Ref<'_, (Vec<f64>, f64, Vec<f64>)> {
        if self.last.borrow().0 != p {
            let (value, gradient) = (self.function)(p);
            *self.last.borrow_mut() = (p.to_vec(), value, gradient);
        }
        self.last.borrow()
    }
}

impl<F: Fn(&[f64]) -> (f64, Vec<f64>)> CostFunction for Cost<F> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, p: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.at(p).1)
    }
}

impl<F: Fn(&[f64]) -> (f64, Vec<f64>)> Gradient for Cost<F> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, p: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.at(p).2.clone())
    }
}

type Iteration = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// Moves the bar.
struct Progress {
    bar: ProgressBar,
    costs: Rc<RefCell<Vec<f64>>>,
}

impl Progress {
    fn show(&self, state: &Iteration) {
        let cost = state.get_cost();
        self.costs.borrow_mut().push(cost);
        self.bar.set_position(self.costs.borrow().len() as u64 - 1);
        self.bar.set_message(format!("cost {cost:.6e}"));
    }
}

impl Observe<Iteration> for Progress {
    fn observe_init(&mut self, _: &str, state: &Iteration, _: &KV) -> Result<(), Error> {
        self.show(state);
        Ok(())
    }

    fn observe_iter(&mut self, state: &Iteration, _: &KV) -> Result<(), Error> {
        self.show(state);
        Ok(())
    }
}

/// The parameters that minimise a function, which gives its value and its gradient; and its value at the start and after each
/// iteration.
pub fn minimise(
    function: impl Fn(&[f64]) -> (f64, Vec<f64>),
    start: Vec<f64>,
    iterations: u64,
) -> Result<(Vec<f64>, Vec<f64>), String> {
    let clock = Instant::now();
    let costs = Rc::new(RefCell::new(Vec::new()));
    let style = ProgressStyle::with_template("  {bar:40} {pos}/{len}  {msg}").map_err(|e| e.to_string())?;
    let bar = ProgressBar::new(iterations).with_style(style);
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 10);
    let result = Executor::new(Cost { function, last: RefCell::default() }, solver)
        .configure(|state| state.param(start).max_iters(iterations))
        .timeout(Duration::from_secs(SECONDS))
        .add_observer(Progress { bar: bar.clone(), costs: costs.clone() }, ObserverMode::Always)
        .run()
        .map_err(|error| error.to_string())?;
    bar.finish_and_clear();
    let mut state = result.state;
    let parameters = state.take_best_param().ok_or("the solver kept no parameters")?;
    let costs = costs.take();
    println!(
        "  {} iterations in {:.1} s: cost {:.6e} -> {:.6e}",
        state.get_iter(),
        clock.elapsed().as_secs_f64(),
        costs.first().copied().unwrap_or(f64::NAN),
        state.get_best_cost()
    );
    Ok((parameters, costs))
}
