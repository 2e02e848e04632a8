use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub enum Failure {
        Empty,
        At(usize),
    }

    fn first(x: &[f64]) -> Result<f64, Failure> {
        if x.is_empty() { Err(Failure::Empty) } else { Ok(x[0]) }
    }

    pub fn kinds(x: &[f64]) -> f64 {
        match first(x) {
            Ok(v) => v,
            Err(Failure::Empty) => 0.0,
            Err(Failure::At(k)) => x[k],
        }
    }

    fn second(x: &[f64]) -> Result<f64, usize> {
        if x.len() < 2 { Err(2 - x.len()) } else { Ok(x[1]) }
    }

    pub fn computed(x: &[f64]) -> f64 {
        second(x).unwrap_or(1.0)
    }

    fn third(x: &[f64]) -> Result<f64, usize> {
        if x.len() < 3 { Err(2) } else { Ok(x[2]) }
    }

    pub fn in_a_closure(x: &[f64]) -> f64 {
        third(x).unwrap_or_else(|missing| missing as f64)
    }

    pub fn mapped(x: &[f64]) -> f64 {
        third(x).map_err(|missing| x[missing]).unwrap_or(1.0)
    }
}

fn main() {}
