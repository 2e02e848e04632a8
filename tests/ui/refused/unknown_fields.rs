use pardiff::differentiate;

#[differentiate]
mod springs {
    use std::sync::Mutex;

    pub struct Spring {
        pub name: String,
        pub stiffness: f64,
        pub seen: Mutex<usize>,
        pub history: Option<Mutex<f64>>,
    }

    #[derive(Clone)]
    pub struct Cached {
        pub cache: Box<f64>,
        pub gain: f64,
    }

    #[differentiate]
    pub fn by_name(spring: &Spring, x: f64) -> f64 {
        if spring.name.is_empty() { x } else { spring.stiffness * x }
    }

    #[differentiate]
    pub fn by_pattern(spring: &Spring, x: f64) -> f64 {
        let Spring { name, stiffness, history, .. } = spring;
        println!("{name}");
        if history.is_some() { stiffness * x } else { x }
    }

    #[differentiate]
    pub fn made(spring: &Spring, x: f64) -> Spring {
        let mut count = 0;
        Spring {
            name: { count += 1; spring.name.clone() },
            stiffness: x,
            seen: Mutex::new(count),
            history: None,
        }
    }

    #[differentiate(check)]
    pub fn checked(spring: &Spring, x: f64) -> f64 {
        spring.stiffness * x
    }

    pub fn energy(spring: &Spring, x: f64) -> f64 {
        spring.stiffness * x
    }

    pub fn cached(of: &Cached, x: f64) -> f64 {
        of.gain * x
    }

    #[differentiate]
    pub fn maybe(spring: Option<Spring>, x: f64) -> f64 {
        spring.map_or(0.0, |spring| spring.stiffness * x)
    }
}

fn gradients(spring: &springs::Spring, cached: &springs::Cached) -> f64 {
    springs::energy::gradient(spring, 1.0).0 + springs::cached::gradient(cached, 1.0).0
}

fn main() {}
