use pardiff::differentiate;

mod items {
    use pardiff::differentiate;

    const SCALE: f64 = 2.0;

    #[differentiate(export)]
    pub fn scaled(x: f64) -> f64 {
        SCALE * x
    }

    #[differentiate(export)]
    pub struct point {
        pub x: f64,
    }

    #[differentiate(wrt(x))]
    pub struct Line {
        pub x: f64,
    }
}

#[differentiate(uses(items::scaled))]
fn of_private_constant(x: f64) -> f64 {
    items::scaled(x)
}

#[differentiate(uses)]
fn of_nothing(x: f64) -> f64 {
    x
}

#[differentiate]
mod kernels {
    #[differentiate(export)]
    pub fn inside(x: f64) -> f64 {
        x
    }
}

fn main() {
    let _ = (of_private_constant(1.0), of_nothing(1.0));
}
