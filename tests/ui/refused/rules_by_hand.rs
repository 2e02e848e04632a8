//! What a rule of `custom` cannot be.

use pardiff::differentiate;

#[differentiate(custom(partials = slope))]
pub fn alone(x: f64) -> f64 {
    x * x
}

#[differentiate]
mod rules {
    #[differentiate(custom(partials = missing))]
    fn without_rule(x: f64) -> f64 {
        x
    }

    #[differentiate(custom(partials = slope))]
    fn of_arrays(x: &[f64]) -> f64 {
        x[0]
    }

    #[differentiate(custom(partials = slope))]
    fn of_two(x: f64, y: f64) -> f64 {
        x * y
    }

    #[differentiate(custom(partials = slope))]
    fn of_two_types(x: f32) -> f64 {
        f64::from(x)
    }

    fn slope(x: f64) -> f64 {
        2.0 * x
    }

    #[differentiate(custom(slope = slope))]
    fn of_another_kind(x: f64) -> f64 {
        x
    }

    #[differentiate(custom)]
    fn without_anything(x: f64) -> f64 {
        x
    }

    pub fn calls(x: &[f64], y: f64) -> f64 {
        without_rule(y) + of_arrays(x) + of_two(y, y) + of_two_types(y as f32)
    }
}

fn main() {}
