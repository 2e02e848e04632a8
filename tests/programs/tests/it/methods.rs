//! Methods and associated functions of a module: each visible one has its module, `model::loss`, as a function has.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, dot, random};

#[differentiate(forward, hvp, batch(2))]
mod regression {
    #![deny(warnings)]

    /// A line through points.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct LinearModel {
        pub weights: [f64; Self::SIZE],
        pub bias: f64,
        pub power: i32,
    }

    impl LinearModel {
        pub const SIZE: usize = 3;
        const DECAY: f64 = 0.25;

        /// What the model says of a point. Not visible: a helper.
        fn predicted(&self, x: &[f64; Self::SIZE]) -> f64 {
            let mut sum = self.bias;
            for k in 0..Self::SIZE {
                sum += self.weights[k] * x[k].powi(self.power);
            }
            sum
        }

        fn penalty(weights: &[f64; 3]) -> f64 {
            Self::DECAY * weights.iter().map(|w| w * w).sum::<f64>()
        }

        /// The mean of squares.
        #[must_use]
        #[inline]
        pub fn loss(&self, points: &[[f64; Self::SIZE]], targets: &[f64]) -> f64 {
            let mut total = Self::penalty(&self.weights);
            for (x, y) in points.iter().zip(targets) {
                let residual = self.predicted(x) - y;
                total += residual * residual;
            }
            total / points.len() as f64
        }
    }

    impl LinearModel {
        /// In another `impl`, by `&mut self`, and calls a method that has a gradient of its own.
        pub fn step(&mut self, points: &[[f64; 3]], targets: &[f64], rate: f64) {
            let loss = self.loss(points, targets);
            for w in &mut self.weights {
                *w -= rate * loss * *w;
            }
            self.bias *= 1.0 - rate;
        }

        /// By value.
        pub fn scaled(mut self, by: f64) -> Self {
            self.weights = self.weights.map(|w| w * by);
            self.bias *= self.bias;
            Self { power: self.power + 1, ..self }
        }

        /// Without a receiver.
        pub fn soft(x: f64, y: f64) -> f64 {
            (x.exp() + y.exp()).ln() + Self::DECAY * x * y
        }

        /// A constructor.
        pub fn new(bias: f64) -> Self {
            Self { weights: [bias, 2.0 * bias, bias * bias], bias, power: 1 }
        }

        /// Without floats in what it returns.
        pub fn len(&self) -> usize {
            Self::SIZE
        }

        /// What it returns cannot be differentiated, and nobody asks.
        pub fn weights(&self) -> &[f64] {
            &self.weights
        }

        /// Nor that.
        pub fn residuals(&self, points: &[[f64; 3]], targets: &[f64]) -> Vec<f64> {
            points.iter().zip(targets).map(|(x, y)| self.predicted(x) - y).collect()
        }
    }

    /// The same as a function.
    pub fn loss(model: &LinearModel, points: &[[f64; 3]], targets: &[f64]) -> f64 {
        model.loss(points, targets)
    }
}

use regression::LinearModel;

const MODEL: LinearModel = LinearModel { weights: [0.3, -0.7, 1.1], bias: 0.4, power: 2 };

fn data() -> (Vec<[f64; 3]>, Vec<f64>) {
    (random(1, 15).as_chunks::<3>().0.to_vec(), random(2, 5))
}

fn of(v: &[f64]) -> LinearModel {
    LinearModel { weights: [v[0], v[1], v[2]], bias: v[3], power: 2 }
}

fn parts(model: &LinearModel) -> [f64; 4] {
    let [a, b, c] = model.weights;
    [a, b, c, model.bias]
}

#[test]
fn the_receiver_is_the_first_parameter() {
    let (points, targets) = data();
    let (mut d_model, mut d_points, mut d_targets) =
        (LinearModel { power: 2, ..LinearModel::default() }, vec![[0.0; 3]; 5], vec![0.0; 5]);
    let value = regression::linear_model::loss::grad(
        &MODEL,
        &mut d_model,
        &points,
        &mut d_points,
        &targets,
        &mut d_targets,
    );
    assert_near(&[value], &[MODEL.loss(&points, &targets)]);
    check(
        |v| of(&v[0]).loss(v[1].as_chunks::<3>().0, &v[2]),
        &[&parts(&MODEL), points.as_flattened(), &targets],
        &[&parts(&d_model), d_points.as_flattened(), &d_targets],
    );
    // bit for bit that of a function that calls the method
    let (_, gradient) = regression::loss::gradient(&MODEL, &points, &targets);
    assert_eq!((gradient.model, gradient.points, gradient.targets), (d_model, d_points, d_targets));
    let (_, gradient) = regression::linear_model::loss::gradient(&MODEL, &points, &targets);
    assert_eq!(gradient.this, d_model);
}

#[test]
fn all_modes() {
    let (points, targets) = data();
    let (v_points, v_targets) = (random(3, 15).as_chunks::<3>().0.to_vec(), random(4, 5));
    let v_model = LinearModel { power: 0, ..of(&random(5, 4)) };
    let (_, gradient) = regression::linear_model::loss::gradient(&MODEL, &points, &targets);
    let slope = dot(&parts(&gradient.this), &parts(&v_model))
        + dot(gradient.points.as_flattened(), v_points.as_flattened())
        + dot(&gradient.targets, &v_targets);
    let (_, tangent) =
        regression::linear_model::loss::jvp(&MODEL, &v_model, &points, &v_points, &targets, &v_targets);
    assert_near(&[tangent], &[slope]);
    let (mut h_model, mut h_points, mut h_targets) =
        (LinearModel::default(), vec![[0.0; 3]; 5], vec![0.0; 5]);
    let (_, tangent) = regression::linear_model::loss::hvp(
        &MODEL,
        &v_model,
        &mut h_model,
        &points,
        &v_points,
        &mut h_points,
        &targets,
        &v_targets,
        &mut h_targets,
    );
    assert_near(&[tangent], &[slope]);
    let (_, jacobian) = regression::linear_model::soft::jacobian(0.3, -0.2);
    let (_, gradient) = regression::linear_model::soft::gradient(0.3, -0.2);
    assert_near(&[jacobian.x, jacobian.y], &[gradient.x, gradient.y]);
    assert_eq!(regression::linear_model::loss::WIDTH, 2);
}

#[test]
fn by_mutable_reference() {
    let (points, targets) = data();
    let seed = of(&[0.5, -1.0, 2.0, 1.5]);
    let (mut model, mut d_model) = (MODEL, seed);
    let (mut d_points, mut d_targets, mut d_rate) = (vec![[0.0; 3]; 5], vec![0.0; 5], 0.0);
    regression::linear_model::step::vjp(
        &mut model,
        &mut d_model,
        &points,
        &mut d_points,
        &targets,
        &mut d_targets,
        0.1,
        &mut d_rate,
    );
    let mut expected = MODEL;
    expected.step(&points, &targets, 0.1);
    assert_near(&parts(&model), &parts(&expected));
    check(
        |v| {
            let mut model = of(&v[0]);
            model.step(v[1].as_chunks::<3>().0, &v[2], v[3][0]);
            dot(&parts(&model), &parts(&seed))
        },
        &[&parts(&MODEL), points.as_flattened(), &targets, &[0.1]],
        &[&parts(&d_model), d_points.as_flattened(), &d_targets, &[d_rate]],
    );
}

#[test]
fn by_value_and_without_a_receiver() {
    let seed = of(&[0.5, -1.0, 2.0, 1.5]);
    let (mut d_this, mut d_by) = (LinearModel::default(), 0.0);
    let value = regression::linear_model::scaled::vjp(MODEL, &mut d_this, 1.7, &mut d_by, seed);
    assert_eq!(value, MODEL.scaled(1.7));
    check(
        |v| dot(&parts(&of(&v[0]).scaled(v[1][0])), &parts(&seed)),
        &[&parts(&MODEL), &[1.7]],
        &[&parts(&d_this), &[d_by]],
    );
    let mut d_bias = 0.0;
    regression::linear_model::new::vjp(0.8, &mut d_bias, seed);
    check(|v| dot(&parts(&LinearModel::new(v[0][0])), &parts(&seed)), &[&[0.8]], &[&[d_bias]]);
    let (_, gradient) = regression::linear_model::soft::gradient(0.3, -0.2);
    check(|v| LinearModel::soft(v[0][0], v[0][1]), &[&[0.3, -0.2]], &[&[gradient.x, gradient.y]]);
}

#[test]
fn what_is_written_about_a_method_names_its_type() {
    let (points, targets) = data();
    let short = std::panic::catch_unwind(|| {
        regression::linear_model::loss::grad(
            &MODEL,
            &mut LinearModel::default(),
            &points,
            &mut [],
            &targets,
            &mut [0.0; 5],
        )
    });
    let message = short.expect_err("the adjoint is too short");
    let message = message.downcast_ref::<String>().expect("a message");
    assert!(message.contains("LinearModel::loss"), "{message}");
    assert_eq!(MODEL.len(), MODEL.weights().len());
    assert_eq!(MODEL.residuals(&points, &targets).len(), 5);
}

#[differentiate]
mod springs {
    #![deny(warnings)]

    type Real = f64;

    /// What has an energy.
    pub trait Energy {
        const SCALE: Real = 0.5;
        type Of;

        fn energy(&self, at: Real) -> Real;

        /// For all of them.
        fn twice(&self, at: Real) -> Real {
            2.0 * self.energy(at) * Self::SCALE
        }

        fn of(&self, other: Self::Of) -> Real;

        fn made(k: Real) -> Self;
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Spring {
        pub k: Real,
    }

    /// Numbers without a name.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Morse(pub Real, pub Real);

    /// Without fields.
    #[derive(Clone, Copy, Debug)]
    pub struct Free;

    impl Energy for Spring {
        type Of = [Real; 2];

        fn energy(&self, at: Real) -> Real {
            0.5 * self.k * at * at
        }

        fn of(&self, [a, b]: Self::Of) -> Real {
            self.energy(a - b)
        }

        fn made(k: Real) -> Self {
            Self { k }
        }
    }

    impl Energy for Morse {
        type Of = Spring;
        const SCALE: f64 = 3.0;

        fn energy(&self, at: f64) -> f64 {
            let Self(depth, width) = *self;
            let e = 1.0 - (-width * at).exp();
            depth * e * e
        }

        fn of(&self, other: Spring) -> f64 {
            self.0 * other.k * <Self as Energy>::SCALE.sqrt()
        }

        fn made(k: f64) -> Self {
            Morse(k, k)
        }
    }

    impl Free {
        pub fn energy(self, at: f64) -> f64 {
            at * at
        }
    }

    impl std::ops::Add for Spring {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            Spring { k: self.k + other.k }
        }
    }

    impl From<f64> for Spring {
        fn from(k: f64) -> Self {
            Spring { k }
        }
    }
}

#[test]
fn methods_of_traits() {
    use springs::{Energy, Free, Morse, Spring};
    let (_, gradient) = springs::spring::energy::gradient(&Spring { k: 1.3 }, 0.7);
    check(|v| Spring { k: v[0][0] }.energy(v[0][1]), &[&[1.3, 0.7]], &[&[gradient.this.k, gradient.at]]);
    let morse = |v: &[f64]| Morse(v[0], v[1]);
    let (_, gradient) = springs::morse::energy::gradient(&Morse(1.5, 0.4), 0.7);
    let own = [gradient.this.0, gradient.this.1, gradient.at];
    check(|v| morse(&v[0]).energy(v[0][2]), &[&[1.5, 0.4, 0.7]], &[&own]);
    // provided by the trait, with the type's own constant
    let (_, gradient) = springs::morse::twice::gradient(&Morse(1.5, 0.4), 0.7);
    let own = [gradient.this.0, gradient.this.1, gradient.at];
    check(|v| morse(&v[0]).twice(v[0][2]), &[&[1.5, 0.4, 0.7]], &[&own]);
    let (_, gradient) = springs::spring::twice::gradient(&Spring { k: 1.3 }, 0.7);
    check(|v| Spring { k: v[0][0] }.twice(v[0][1]), &[&[1.3, 0.7]], &[&[gradient.this.k, gradient.at]]);
    // associated types
    let (_, gradient) = springs::spring::of::gradient(&Spring { k: 1.3 }, [0.2, 0.9]);
    let [a, b] = gradient.a_b;
    check(|v| Spring { k: v[0][0] }.of([v[0][1], v[0][2]]), &[&[1.3, 0.2, 0.9]], &[&[gradient.this.k, a, b]]);
    let (_, gradient) = springs::morse::of::gradient(&Morse(1.5, 0.4), Spring { k: 0.3 });
    let own = [gradient.this.0, gradient.this.1, gradient.other.k];
    check(|v| morse(&v[0]).of(Spring { k: v[0][2] }), &[&[1.5, 0.4, 0.3]], &[&own]);
    let (_, gradient) = springs::free::energy::gradient(Free, 0.7);
    assert_eq!(gradient.at, 1.4);
    assert_eq!(Spring::made(1.0) + Spring::from(2.0), Spring { k: 3.0 });
    assert_eq!(Morse::made(1.0), Morse(1.0, 1.0));
}

#[differentiate]
mod names {
    #![deny(warnings)]

    /// Has the names of modules and of arguments.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Loop {
        pub this: f64,
        pub d_this: f64,
    }

    impl Loop {
        /// A parameter has the receiver's name.
        pub fn r#match(&self, this: f64) -> f64 {
            let d_this = self.this * this;
            d_this + self.d_this * d_this
        }

        /// Says what it is with respect to, and has a name of its own.
        #[differentiate(wrt(self), module = other)]
        pub fn value(&self, x: f64) -> f64 {
            self.this * x
        }

        /// Not visible, and asked for.
        #[differentiate(sequential)]
        fn hidden(&self, x: f64) -> f64 {
            self.this * x * x
        }

        #[cfg(test)]
        pub fn configured(&self) -> f64 {
            self.this * 2.0
        }

        #[cfg(not(test))]
        pub fn configured(&self) -> f64 {
            self.this * 3.0
        }

        #[deprecated(note = "old")]
        pub fn old(&self) -> f64 {
            self.this
        }

        pub fn first<'a, const N: usize>(&'a self, x: &'a [f64; N], vec: Option<f64>) -> f64
        where
            Self: Sized,
        {
            let all = vec![Self::HALF * self.this; N];
            all.iter().zip(x).map(|(a, b)| a * b).sum::<f64>() + vec.unwrap_or(0.0)
        }

        const HALF: f64 = 0.5;

        pub fn sum<'a, const N: usize>(&'a self, x: &'a [f64; N]) -> f64
        where
            Self: Sized,
        {
            let all = vec![Self::HALF * self.this; N];
            all.iter().zip(x).map(|(a, b)| a * b).sum::<f64>()
        }

        pub(super) fn above(&self) -> f64 {
            self.this.sin()
        }

        pub(crate) fn in_crate(&self) -> f64 {
            self.this.cos()
        }
    }

    pub fn own(x: f64) -> f64 {
        Loop { this: x, d_this: 2.0 }.r#match(x)
    }

    /// Calls what is generated.
    pub fn of_hidden() -> f64 {
        let of = Loop { this: 3.0, d_this: 0.0 };
        let mut d_of = Loop::default();
        r#loop::hidden::grad(&of, &mut d_of, 2.0, &mut 0.0);
        d_of.this
    }

    /// The name of its module is that of a function's: no module, and no error.
    #[derive(Debug)]
    pub struct Own(pub f64);

    impl Own {
        pub fn square(&self) -> f64 {
            self.0 * self.0
        }
    }

    /// Another name for its module.
    #[differentiate(module = of_own)]
    impl Own {
        pub fn cube(&self) -> f64 {
            self.0 * self.square()
        }
    }

    /// Not visible, so that nobody outside could call its methods.
    #[derive(Debug)]
    struct Inner(f64);

    impl Inner {
        pub fn square(&self) -> f64 {
            self.0 * self.0
        }
    }

    pub fn of_inner(x: f64) -> f64 {
        Inner(x).square()
    }
}

#[test]
#[expect(deprecated, reason = "what is generated is as old as the method")]
fn names() {
    use names::Loop;
    let of = Loop { this: 1.5, d_this: -0.5 };
    let (_, gradient) = names::r#loop::r#match::gradient(&of, 0.7);
    let own = [gradient.this_.this, gradient.this_.d_this, gradient.this];
    check(|v| Loop { this: v[0][0], d_this: v[0][1] }.r#match(v[0][2]), &[&[1.5, -0.5, 0.7]], &[&own]);
    let mut d_of = Loop::default();
    names::r#loop::other::grad(&of, &mut d_of, 0.7);
    assert_eq!(d_of, Loop { this: 0.7, d_this: 0.0 });
    assert_eq!(names::of_hidden(), 4.0);
    assert_eq!(names::r#loop::configured::gradient(&of).1.this.this, 2.0);
    let (value, gradient) = names::r#loop::sum::gradient(&of, &[1.0, 2.0]);
    assert_eq!((value, gradient.this.this, gradient.x), (2.25, 1.5, [0.75, 0.75]));
    assert_eq!(names::r#loop::old::gradient(&of), (of.old(), names::r#loop::old::gradient(&of).1));
    assert_eq!(of.first(&[1.0, 2.0], Some(1.0)), 3.25);
    assert_eq!(names::r#loop::above::gradient(&of).1.this.this, 1.5f64.cos());
    assert_eq!(names::r#loop::in_crate::gradient(&of).1.this.this, -(1.5f64.sin()));
    assert_eq!(names::own::gradient(0.5).1.x, 1.0 + 4.0 * 0.5 * 0.25 / 0.5 * 2.0);
    assert_eq!(names::of_own::square::gradient(&names::Own(3.0)).1.this.0, 6.0);
    assert_eq!(names::of_own::cube::gradient(&names::Own(3.0)).1.this.0, 27.0);
    assert_eq!(names::of_inner::gradient(3.0).1.x, 6.0);
}
