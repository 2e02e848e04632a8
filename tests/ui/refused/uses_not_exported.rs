use pardiff::differentiate;

mod geometry {
    pub fn pair(x: f64, y: f64) -> f64 {
        x * y
    }

    pub struct Atom {
        pub charge: f64,
    }
}

#[differentiate(uses(geometry::pair))]
fn not_exported(x: f64) -> f64 {
    geometry::pair(x, x)
}

#[differentiate]
fn not_used(x: f64) -> f64 {
    geometry::pair(x, x)
}

#[differentiate(uses(geometry::Atom))]
fn of_type(a: &geometry::Atom) -> f64 {
    a.charge
}

fn main() {}
