use pardiff::differentiate;

/// A type of the user's own, which the attribute does not see.
pub struct DVec3 {
    pub x: f64,
}

#[differentiate]
fn own(v: &[DVec3]) -> f64 {
    v[0].x
}

#[differentiate]
fn seen(v: &[f64]) -> String {
    String::new()
}

fn main() {}
