//! What a check finds.

use std::fmt;

/// What a check of derivatives compared, where nothing was wrong.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The function.
    pub function: &'static str,
    /// Its active arguments in order; of structs, each member that holds floats.
    pub arguments: Vec<Compared>,
}

/// What was compared of an argument.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Compared {
    /// Its name; of a member of structs in an array `nodes[].mass`.
    pub name: &'static str,
    /// How many floats it holds.
    pub elements: usize,
    /// Along how many random directions the gradient was compared with differences.
    pub directions: usize,
    /// The largest relative error of the gradient along one of them.
    pub error: f64,
    /// Elements along which the function is not smooth here, or differences do not settle: they are not compared. Where there
    /// are many, the first and the last one of a range.
    pub not_smooth: Vec<String>,
    /// Elements whose derivative rounding hides: its terms cancel, or are small beside the function, or the last bit of
    /// a number chooses a branch.
    pub rounded: Vec<String>,
    /// The largest relative difference between forward and reverse mode, with the option `forward`.
    pub tangent_error: Option<f64>,
    /// The largest relative error of the product with the Hessian, with the option `hvp`; `None` also where the gradient is
    /// not smooth along any direction.
    pub product_error: Option<f64>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "derivatives of {} against differences", self.function)?;
        let width = self.arguments.iter().map(|it| it.name.len()).max().unwrap_or(0);
        for it in &self.arguments {
            let elements = if it.elements == 1 { "element" } else { "elements" };
            write!(f, "\n  {:width$}  {} {elements}", it.name, it.elements)?;
            if it.directions > 0 {
                write!(f, ", {} directions, relative error {:.1e}", it.directions, it.error)?;
            }
            if let Some(error) = it.tangent_error {
                write!(f, ", of the tangent {error:.1e}")?;
            }
            if let Some(error) = it.product_error {
                write!(f, ", of the product with the Hessian {error:.1e}")?;
            }
            if !it.not_smooth.is_empty() {
                write!(f, "; not smooth here: {}", it.not_smooth.join(", "))?;
            }
            if !it.rounded.is_empty() {
                write!(f, "; hidden by rounding: {}", it.rounded.join(", "))?;
            }
        }
        Ok(())
    }
}

/// A derivative that is wrong.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The function.
    pub function: &'static str,
    /// Which of its derivatives.
    pub derivative: Derivative,
    /// The element of an argument by which it is wrong, such as `x[3]`; where no single one was found, the first and the last
    /// one of a range.
    pub element: String,
    /// The derivative that was computed: by the element, or along a random direction of the range.
    pub computed: f64,
    /// The same by differences of the function, or of its gradient; of a tangent, by the gradient.
    pub expected: f64,
    /// By how much they may differ.
    pub tolerance: f64,
    /// Whether derivatives are those of a sum of all outputs with random weights.
    pub is_weighted: bool,
}

/// Which derivative of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Derivative {
    /// The gradient, `f::vjp`.
    Gradient,
    /// The tangent, `f::jvp`.
    Tangent,
    /// The product of the Hessian with a direction, `f::hvp`.
    Product,
}

impl std::error::Error for Mismatch {}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { function, element, computed, expected, tolerance, .. } = self;
        let (what, of) = match self.derivative {
            Derivative::Gradient => ("gradient", "differences of the function"),
            Derivative::Tangent => ("tangent", "the gradient"),
            Derivative::Product => {
                ("product of the Hessian with a random direction", "differences of the gradient")
            }
        };
        write!(f, "{function}: the {what} at `{element}` is {computed:e}, but by {of} it is {expected:e}")?;
        write!(f, ", give or take {tolerance:.1e}")?;
        if self.is_weighted {
            write!(f, " (of all outputs, with random weights)")?;
        }
        write!(
            f,
            "\n  help: compare the rules of functions with `custom(partials = …)` that `{function}` calls with these functions, \
             and see whether a condition such as `a == 1.0` holds at these arguments alone, where a derivative is that of the \
             branch; if neither is so, pardiff is wrong: please report `{function}` with these arguments"
        )
    }
}

/// As `Display`, so that `unwrap` shows it to be read.
impl fmt::Debug for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
