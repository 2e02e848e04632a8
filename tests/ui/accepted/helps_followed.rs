//! Refused programs after the edits that their messages ask for: made by the compiler's test `helps`.

#![allow(unused, clippy::all, reason = "edits stand where the messages ask for them")]
#![cfg_attr(rustfmt, rustfmt_skip)]

mod function_of_elsewhere {
    use pardiff::differentiate;

    #[differentiate(export)]
    fn smooth(x: f64) -> f64 {
        x * x + 1.0
    }

    #[differentiate(uses(smooth))]
    pub fn f(x: f64) -> f64 {
        smooth(x).ln()
    }

    pub fn main() {
        super::near(f::gradient(2.0).1.x, 0.8);
    }
}

mod struct_of_elsewhere {
    use pardiff::differentiate;

    #[differentiate(export)]
    pub struct Spring {
        pub stiffness: f64,
    }

    #[differentiate(uses(Spring))]
    pub fn energy(s: &Spring, x: f64) -> f64 {
        0.5 * s.stiffness * x * x
    }

    pub fn main() {
        super::near(energy::gradient(&Spring { stiffness: 3.0 }, 2.0).1.x, 6.0);
    }
}

mod methods_of_elsewhere {
    use pardiff::differentiate;

    #[differentiate(export)]
    pub struct Model {
        pub scale: f64,
    }

    #[differentiate(uses(Model))]
    impl Model {
        pub fn loss(&self, x: f64) -> f64 {
            self.scale * x * x
        }
    }

    pub fn main() {
        super::near(model::loss::gradient(&Model { scale: 2.0 }, 3.0).1.x, 12.0);
    }
}

mod asynchronous {
    use pardiff::differentiate;

    #[differentiate]
    pub fn square(x: f64) -> f64 {
        x * x
    }

    pub fn main() {
        super::near(square::gradient(3.0).1.x, 6.0);
    }
}

mod function_behind_dyn {
    use pardiff::differentiate;

    #[differentiate(with(f = f64::sin))]
    pub fn twice(f: &dyn Fn(f64) -> f64, x: f64) -> f64 {
        f(f(x))
    }

    pub fn main() {
        super::near(twice::gradient(0.5).1.x, 0.5f64.sin().cos() * 0.5f64.cos());
    }
}

mod function_in_a_box {
    use pardiff::differentiate;

    #[differentiate(with(f = f64::sin))]
    pub fn twice(f: &dyn Fn(f64) -> f64, x: f64) -> f64 {
        f(f(x))
    }

    pub fn main() {
        super::near(twice::gradient(0.5).1.x, 0.5f64.sin().cos() * 0.5f64.cos());
    }
}

mod function_of_a_type_parameter {
    use pardiff::differentiate;

    #[differentiate(with(F = f64::exp))]
    pub fn trapezoid<F: Fn(f64) -> f64>(f: F, a: f64, b: f64) -> f64 {
        0.5 * (b - a) * (f(a) + f(b))
    }

    pub fn main() {
        let (sum, slope) = (0.5f64.exp() + 1.5f64.exp(), 1.5f64.exp());
        super::near(trapezoid::gradient(0.5, 1.5).1.b, 0.5 * (sum + slope));
    }
}

mod iterator_taken {
    use pardiff::differentiate;

    #[differentiate]
    pub fn norm(x: &[f64]) -> f64 {
        x.iter().map(|v| v * v).sum()
    }

    pub fn main() {
        assert_eq!(norm::gradient(&[1.0, 2.0]).1.x, [2.0, 4.0]);
    }
}

mod iterator_returned {
    use pardiff::differentiate;

    #[differentiate]
    pub fn squares(x: &[f64]) -> Vec<f64> {
        x.iter().map(|v| v * v).collect()
    }

    pub fn main() {
        let mut d_x = [0.0; 2];
        assert_eq!(squares::vjp(&[1.0, 2.0], &mut d_x, &[1.0, 10.0]), [1.0, 4.0]);
        assert_eq!(d_x, [2.0, 40.0]);
    }
}

mod vector_of_the_caller_grows {
    use pardiff::differentiate;

    #[differentiate]
    pub fn squares(x: &[f64]) -> Vec<f64> {
        let mut v = Vec::new();
        for a in x {
            v.push(a * a);
        }
        v
    }

    pub fn main() {
        let mut d_x = [0.0; 2];
        assert_eq!(squares::vjp(&[1.0, 2.0], &mut d_x, &[1.0, 10.0]), [1.0, 4.0]);
        assert_eq!(d_x, [2.0, 40.0]);
    }
}

mod whole_numbers_alone {
    use pardiff::differentiate;

    #[differentiate]
    pub fn norm(x: &[f64]) -> f64 {
        x.iter().map(|&v| v as f64 * v as f64).sum()
    }

    pub fn main() {
        assert_eq!(norm::gradient(&[1.0, 2.0]).1.x, [2.0, 4.0]);
    }
}

mod reference_returned {
    use pardiff::differentiate;

    #[differentiate]
    pub fn first(x: &[f64]) -> f64 {
        x[0]
    }

    pub fn main() {
        assert_eq!(first::gradient(&[1.0, 2.0]).1.x, [1.0, 0.0]);
    }
}

mod trait_of_elsewhere {
    use pardiff::differentiate;

    use num_traits::Float;

    trait Number: Float {}

    impl<T: Float> Number for T {}

    #[differentiate(with(T = f64))]
    fn product<T: Number>(x: &[T]) -> T {
        x[0] * x[1]
    }

    pub fn main() {
        assert_eq!(product::gradient(&[2.0, 3.0]).1.x, [3.0, 2.0]);
    }
}

mod vector_of_open_size {
    use pardiff::differentiate;

    #[differentiate]
    pub fn norm(x: &nalgebra::DVector<f64>) -> f64 {
        x.iter().map(|v| v * v).sum()
    }

    pub fn main() {
        let gradient = norm::gradient(&nalgebra::DVector::from_vec(vec![1.0, 2.0])).1;
        assert_eq!(gradient.x.as_slice(), [2.0, 4.0]);
    }
}

mod static_that_changes {
    use pardiff::differentiate;

    static mut SCALE: f64 = 2.0;

    #[differentiate]
    pub fn scaled(x: f64, scale: f64) -> f64 {
        x * scale
    }

    pub fn main() {
        super::near(scaled::gradient(3.0, 2.0).1.x, 2.0);
    }
}

mod collection_by_keys {
    use pardiff::differentiate;

    #[differentiate]
    pub fn product(x: &[f64], at: &[usize], n: usize) -> f64 {
        let mut values = vec![0.0; n];
        for i in 0..x.len() {
            let k = at[i];
            values[k] = x[i];
        }
        values[0] * values[1]
    }

    pub fn main() {
        assert_eq!(product::gradient(&[2.0, 3.0, 5.0], &[1, 0, 1], 2).1.x, [0.0, 5.0, 3.0]);
    }
}

mod recursion_of_open_depth {
    use pardiff::differentiate;

    #[differentiate]
    pub fn cube(x: f64, n: usize) -> f64 {
        fn power(x: f64, depth: usize) -> f64 {
            if depth == 0 { 1.0 } else { power(x, depth - 1) + x * power(0.5 * x, depth - 1) }
        }
        power(x, 3)
    }

    pub fn main() {
        super::near(cube::gradient(2.0, 3).1.x, 10.5);
    }
}

mod table_of_functions {
    use pardiff::differentiate;

    #[differentiate]
    pub fn chosen(x: f64, k: usize) -> f64 {
        match k { 0 => x.sin(), _ => x.cos() }
    }

    pub fn main() {
        super::near(chosen::gradient(0.3, 1).1.x, -0.3f64.sin());
    }
}

mod reference_chosen {
    use pardiff::differentiate;

    #[differentiate]
    pub fn square(first: bool, v: f64, a: &mut [f64], b: &mut [f64]) {
        let v = v * v;
        if first { a[0] = v; } else { b[0] = v; }
    }

    pub fn main() {
        let (mut a, mut b, mut d_v) = ([1.0], [2.0], 0.0);
        square::vjp(false, 3.0, &mut d_v, &mut a, &mut [1.0], &mut b, &mut [1.0]);
        assert_eq!((a, b, d_v), ([1.0], [9.0], 6.0));
    }
}

mod two_float_types {
    use pardiff::differentiate;

    #[differentiate]
    pub fn f(x: f32, y: f64) -> f64 {
        let z: f64 = x as f64 * y;
        z
    }

    pub fn main() {
        super::near(f::gradient(2.0, 3.0).1.y, 2.0);
    }
}

mod float_and_integer {
    use pardiff::differentiate;

    #[differentiate]
    pub fn mean(x: &[f64], n: usize) -> f64 {
        let total: f64 = x.iter().sum();
        let mean: f64 = total / n as f64;
        mean
    }

    pub fn main() {
        assert_eq!(mean::gradient(&[1.0, 2.0], 2).1.x, [0.5, 0.5]);
    }
}

mod references_collected {
    use pardiff::differentiate;

    #[differentiate]
    pub fn logarithms(x: &[f64]) -> f64 {
        let kept: Vec<_> = x.iter().filter(|v| **v > 0.0).copied().collect();
        kept.iter().map(|v| v.ln()).sum()
    }

    pub fn main() {
        assert_eq!(logarithms::gradient(&[-1.0, 2.0]).1.x, [0.0, 0.5]);
    }
}

mod parallel_bridge {
    use pardiff::differentiate;

    use rayon::prelude::*;

    #[differentiate]
    pub fn norm(x: &[f64]) -> f64 {
        x.par_iter().map(|v| v * v).sum()
    }

    pub fn main() {
        assert_eq!(norm::gradient(&[1.0, 2.0]).1.x, [2.0, 4.0]);
    }
}

mod start_of_a_reduction {
    use pardiff::differentiate;

    use rayon::prelude::*;

    #[differentiate]
    pub fn total(x: &[f64], offset: f64) -> f64 {
        x.par_iter().copied().reduce(|| 0.0, |a, b| a + b) + offset
    }

    pub fn main() {
        super::near(total::gradient(&[1.0, 2.0], 0.5).1.offset, 1.0);
    }
}

mod random_number {
    use pardiff::differentiate;

    #[differentiate]
    pub fn noisy(x: f64, noise: f64) -> f64 {
        x * noise
    }

    pub fn main() {
        super::near(noisy::gradient(3.0, 0.5).1.x, 0.5);
    }
}

mod function_of_a_crate {
    use pardiff::differentiate;

    #[differentiate]
    pub fn f(x: f64) -> f64 {
        pardiff::math::erf(x) * x
    }

    pub fn main() {
        let slope = std::f64::consts::FRAC_2_SQRT_PI * (-0.25f64).exp() * 0.5;
        super::near(f::gradient(0.5).1.x, pardiff::math::erf(0.5) + slope);
    }
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} {b}");
}

pub fn main() {
    function_of_elsewhere::main();
    struct_of_elsewhere::main();
    methods_of_elsewhere::main();
    asynchronous::main();
    function_behind_dyn::main();
    function_in_a_box::main();
    function_of_a_type_parameter::main();
    iterator_taken::main();
    iterator_returned::main();
    vector_of_the_caller_grows::main();
    whole_numbers_alone::main();
    reference_returned::main();
    trait_of_elsewhere::main();
    vector_of_open_size::main();
    static_that_changes::main();
    collection_by_keys::main();
    recursion_of_open_depth::main();
    table_of_functions::main();
    reference_chosen::main();
    two_float_types::main();
    float_and_integer::main();
    references_collected::main();
    parallel_bridge::main();
    start_of_a_reduction::main();
    random_number::main();
    function_of_a_crate::main();
}
