//! Structs without fields: names for functions and constants, and values that say which functions are meant.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub mod models {
    pub struct Model;

    impl Model {
        const STIFFNESS: f64 = 2.0;

        pub fn energy(x: &[f64]) -> f64 {
            x.iter().map(|&v| Self::of(v)).sum()
        }

        fn of(v: f64) -> f64 {
            v * v * Self::STIFFNESS
        }

        fn scaled(&self, v: f64) -> f64 {
            Model::of(v) * 0.5
        }
    }

    pub trait Energy {
        const POWER: i32;
        fn energy(&self, v: f64) -> f64;
        fn twice(&self, v: f64) -> f64 {
            2.0 * self.energy(v)
        }
    }

    #[derive(Clone, Copy)]
    pub struct Cubic;
    #[derive(Clone, Copy, Default)]
    pub struct Wave();
    pub struct Braces {}

    impl Energy for Cubic {
        const POWER: i32 = 3;
        fn energy(&self, v: f64) -> f64 {
            v.powi(Self::POWER)
        }
    }

    impl Energy for Wave {
        const POWER: i32 = 1;
        fn energy(&self, v: f64) -> f64 {
            v.sin()
        }
    }

    impl Braces {
        fn shift(self, v: f64) -> f64 {
            v + 1.0
        }
    }

    pub enum Never {}

    impl Never {
        fn square(v: f64) -> f64 {
            v * v
        }
    }

    fn total<E: Energy>(model: &E, x: &[f64]) -> f64 {
        x.iter().map(|&v| model.energy(v) + model.twice(v) * f64::from(E::POWER)).sum()
    }

    pub fn static_calls(x: &[f64]) -> f64 {
        Model::energy(x) * Model::STIFFNESS + Never::square(x[0])
    }

    pub fn values(x: &[f64]) -> f64 {
        let model = Model;
        let waves = match model {
            Model => Wave(),
        };
        model.scaled(x[0])
            + Model.scaled(x[1])
            + total(&Cubic, x)
            + total(&waves, x)
            + Braces {}.shift(x[2]) * x[0]
    }

    pub struct Chain {
        pub length: f64,
        pub kind: Cubic,
    }

    pub fn passed(model: &Cubic, x: &[f64], chain: &Chain, by_value: Wave) -> f64 {
        total(model, x) * chain.length + chain.kind.energy(x[0]) + by_value.energy(x[1])
    }
}

#[test]
fn functions_of_names() {
    let x = random(1, 5);
    let (value, g) = models::static_calls::gradient(&x);
    assert!((value - models::static_calls(&x)).abs() < 1e-13);
    check(|v| models::static_calls(&v[0]), &[&x], &[&g.x]);
}

#[test]
fn values_without_numbers() {
    let x = random(2, 5);
    let (value, g) = models::values::gradient(&x);
    assert!((value - models::values(&x)).abs() < 1e-12);
    check(|v| models::values(&v[0]), &[&x], &[&g.x]);
}

#[test]
fn parameters_without_numbers() {
    let x = random(3, 5);
    let chain = models::Chain { length: 1.5, kind: models::Cubic };
    let (value, g) = models::passed::gradient(&models::Cubic, &x, &chain, models::Wave());
    assert!((value - models::passed(&models::Cubic, &x, &chain, models::Wave())).abs() < 1e-12);
    let at = |v: &[Vec<f64>]| {
        let chain = models::Chain { length: v[1][0], kind: models::Cubic };
        models::passed(&models::Cubic, &v[0], &chain, models::Wave())
    };
    check(at, &[&x, &[1.5]], &[&g.x, &[g.chain.length]]);
}
