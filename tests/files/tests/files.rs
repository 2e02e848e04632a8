//! Gradients through what stands in other files and crates, against differences and formulas.

use force_fields::atom::Atom;
use force_fields::bonds::springs::Bond;
use pardiff_files::energy::{bent, energy, moments};
use pardiff_files::layers::{layer::Layer, loss, products};
use pardiff_files::names::model::{Model, model};
use pardiff_files::names::tests_of::{of_glob, of_lines, of_own, of_renamed};

fn atoms() -> Vec<Atom> {
    let atom = |k: f64| Atom { at: [k.sin(), (2.0 * k).cos(), 0.3 * k], charge: 0.5 + 0.25 * k };
    (0..4).map(|k| atom(f64::from(k))).collect()
}

#[test]
fn methods_of_a_struct_in_another_crate() {
    let (atoms, pairs) = (atoms(), [[0, 1], [1, 2], [3, 0]]);
    let report = energy::check(&atoms, &pairs, 0.7).expect("right derivatives");
    assert!(!report.arguments.is_empty());
    let (value, gradient) = energy::gradient(&atoms, &pairs, 0.7);
    assert_eq!(value, energy(&atoms, &pairs, 0.7));
    assert!(gradient.atoms[2].charge != 0.0 && gradient.length != 0.0);
}

#[test]
fn a_module_with_private_constants_and_a_helper_that_takes_a_closure() {
    let points: Vec<[f64; 3]> = atoms().iter().map(|atom| atom.at).collect();
    let bond = Bond { stiffness: 1.5, length: 0.4 };
    bent::check(&points, &bond, 1.1).expect("right derivatives");
}

#[test]
fn paths_from_the_crate_on() {
    moments::check(&atoms(), &mut [0.1, 0.2, 0.3]).expect("right derivatives");
}

#[test]
fn exported_items_have_their_own_gradients() {
    let (a, b) = ([1.0, 2.0, 3.0], [0.0, 1.0, 1.0]);
    let (value, gradient) = force_fields::geometry::squared_distance::gradient(&a, &b);
    assert_eq!((value, gradient.a), (6.0, [2.0, 2.0, 4.0]));
    let atoms = atoms();
    let (mut d_this, mut d_other) = (Atom { at: [0.0; 3], charge: 0.0 }, Atom { at: [0.0; 3], charge: 0.0 });
    force_fields::motion::atom::distance::grad(&atoms[0], &mut d_this, &atoms[1], &mut d_other);
    for k in 0..3 {
        let expected = (atoms[0].at[k] - atoms[1].at[k]) / atoms[0].distance(&atoms[1]);
        assert!((d_this.at[k] - expected).abs() < 1e-15 && (d_other.at[k] + expected).abs() < 1e-15);
    }
}

#[test]
fn names_by_globs_renames_and_of_this_file() {
    assert_eq!(of_glob(&[1.0, 2.0]), (9.0, vec![3.0, 12.0]));
    let mut d_x = [0.0];
    of_own::grad(&[0.5], &mut d_x);
    assert_eq!(d_x, [0.5f64.cos()]);
    let mut d_x = 0.0;
    assert_eq!(of_renamed::grad(2.0, &mut d_x), 64.0);
    assert_eq!(d_x, 96.0);
}

#[test]
fn operators_and_traits_of_another_module() {
    let (s, o, x) = (0.5, 0.25, 2.0);
    let f =
        |s: f64, o: f64, x: f64| ((s + 2.0 * o) * x + o + 1.0) * (2.0 * (s + 2.0 * o) * (o + 1.0)) + s * o;
    let (mut d_s, mut d_o, mut d_x) = (0.0, 0.0, 0.0);
    assert_eq!(of_lines::grad(s, &mut d_s, o, &mut d_o, x, &mut d_x), f(s, o, x));
    let h = 1e-6;
    for (exact, difference) in [
        (d_s, f(s + h, o, x) - f(s - h, o, x)),
        (d_o, f(s, o + h, x) - f(s, o - h, x)),
        (d_x, f(s, o, x + h) - f(s, o, x - h)),
    ] {
        assert!((exact - difference / (2.0 * h)).abs() < 1e-8, "{exact} {difference}");
    }
}

#[test]
fn methods_with_a_private_field_in_its_file() {
    let of = Model::new([1.0, 0.5, -0.25], 2.0);
    let (x, y) = ([0.0, 1.0, 2.0], [1.0, 2.0, 1.0]);
    let mut d_this = Model::new([0.0; 3], 0.0);
    let value = model::loss::grad(&of, &mut d_this, &x, &mut [0.0; 3], &y, &mut [0.0; 3]);
    assert_eq!(value, of.loss(&x, &y));
    let h = 1e-6;
    for k in 0..3 {
        let moved = |h: f64| {
            let mut coefficients = of.coefficients;
            coefficients[k] += h;
            Model::new(coefficients, 2.0).loss(&x, &y)
        };
        let difference = (moved(h) - moved(-h)) / (2.0 * h);
        assert!((d_this.coefficients[k] - difference).abs() < 1e-7);
    }
}

#[test]
fn items_in_a_body() {
    use pardiff::differentiate;

    #[differentiate(export)]
    struct View<'a> {
        x: &'a [f64],
        scale: f64,
    }

    #[differentiate(export, uses(View))]
    impl View<'_> {
        fn sum(&self) -> f64 {
            self.x.iter().map(|x| self.scale * x * x).sum()
        }
    }

    #[differentiate(export)]
    trait Shifted {
        fn shifted(self) -> f64;
    }

    #[differentiate(export, uses(Shifted))]
    impl Shifted for f64 {
        fn shifted(self) -> f64 {
            self + 1.0
        }
    }

    #[differentiate(uses(View, view, Shifted, f64_shifted))]
    fn of_view(x: &[f64], scale: f64) -> f64 {
        let view = View { x, scale };
        view.sum().shifted()
    }

    let (value, gradient) = of_view::gradient(&[1.0, 2.0], 3.0);
    assert_eq!((value, gradient.x, gradient.scale), (16.0, vec![6.0, 12.0], 5.0));
}

#[test]
fn a_layer_with_parameters() {
    let layer = Layer { weights: [0.5, -1.5], bias: 0.25 };
    loss::check(&layer, &[[1.0, 2.0], [0.5, -0.5]], &[0.3, 1.1]).expect("right derivatives");
    let layer = Layer { weights: [0.4, -0.3], bias: 0.2 };
    products::check(&layer, &[0.5, 1.5], &mut [0.0; 3]).expect("right derivatives");
}

#[test]
fn constants_of_std_and_variants_by_their_imports() {
    use pardiff_files::names::imported::{Order, disc, sum};
    let (value, gradient) = disc::gradient(2.0);
    let grown = std::f64::consts::E.powi(2);
    assert!((value - (4.0 * std::f64::consts::PI + grown)).abs() < 1e-13);
    assert!((gradient.r - (4.0 * std::f64::consts::PI + grown)).abs() < 1e-13);
    sum::check(Order::XY, 0.4, 1.3).expect("right derivatives");
    sum::check(Order::YX, 0.4, 1.3).expect("right derivatives");
}
