//! Checks of functions that are written by hand: right ones pass, wrong ones do not.

use super::*;

type Value = fn(&[f64]) -> Vec<f64>;
type Gradient<'g> = &'g dyn Fn(&[f64], &[f64]) -> Vec<f64>;

/// The outputs of a function that has some.
fn visited(mut outputs: impl Numbers, visitor: &mut Visitor<'_>) -> Option<()> {
    outputs.visit(visitor);
    Some(())
}

fn checked_with(
    x: &[f64],
    value: Value,
    vjp: Gradient<'_>,
    jvp: Option<Gradient<'_>>,
    hvp: Option<&Second<'_>>,
) -> Result<Report, Mismatch> {
    check(&Functions {
        name: "f",
        inputs: &|visitor| {
            visitor.part("x");
            x.to_vec().visit(visitor);
        },
        value: &|x, visitor| visited(value(x), visitor),
        vjp: &|x, seed| Some(vjp(x, seed)),
        jvp: jvp.is_some().then_some(&|x: &[f64], along: &[f64]| jvp.map(|jvp| jvp(x, along))),
        hvp,
        unit_seed: false,
    })
}

fn checked(x: &[f64], value: Value, vjp: Gradient<'_>) -> Result<Report, Mismatch> {
    checked_with(x, value, vjp, None, None)
}

fn numbers(count: usize) -> Vec<f64> {
    let mut random = Random::new();
    (0..count).map(|_| 2.0 * random.weight()).collect()
}

fn waves(x: &[f64]) -> Vec<f64> {
    vec![x.iter().enumerate().map(|(k, x)| (1.0 + 1.0 / (1.0 + k as f64)) * x.sin() * x).sum()]
}

fn slope_of_waves(x: &[f64], seed: &[f64]) -> Vec<f64> {
    let slope = |(k, x): (usize, &f64)| seed[0] * (1.0 + 1.0 / (1.0 + k as f64)) * (x.sin() + x * x.cos());
    x.iter().enumerate().map(slope).collect()
}

#[test]
fn a_right_gradient_passes() {
    let report = checked(&numbers(1000), waves, &slope_of_waves).expect("it is right");
    let [x] = &report.arguments[..] else { panic!("one argument") };
    assert_eq!((x.name, x.elements, x.directions), ("x", 1000, 3));
    assert!(x.error < 1e-8 && x.not_smooth.is_empty(), "{report}");
}

#[test]
fn one_wrong_element_of_many_is_named() {
    for (wrong, factor) in [(0, 1.01), (517, 0.0), (999, -1.0), (517, f64::NAN), (3, f64::INFINITY)] {
        let gradient = |x: &[f64], seed: &[f64]| {
            let mut gradient = slope_of_waves(x, seed);
            gradient[wrong] *= factor;
            gradient
        };
        let x = numbers(1000);
        let mismatch = checked(&x, waves, &gradient).expect_err("it is wrong");
        assert_eq!(mismatch.element, format!("x[{wrong}]"), "{mismatch}");
        let right = slope_of_waves(&x, &[1.0])[wrong];
        assert!((mismatch.expected - right).abs() <= mismatch.tolerance, "{mismatch}, right is {right}");
        assert!(mismatch.tolerance < 1e-4 * right.abs(), "{mismatch}");
        assert_eq!(mismatch.derivative, Derivative::Gradient);
    }
}

#[test]
fn constants_have_the_gradient_zero() {
    let zero = |x: &[f64], _: &[f64]| vec![0.0; x.len()];
    for value in [(|_| vec![3.0]) as Value, |x| vec![x[0] - x[0]], |_| vec![0.0], |x| vec![x[0].floor()]] {
        let report = checked(&[0.3, 2.0], value, &zero).expect("it is zero");
        assert_eq!((report.arguments[0].directions, report.arguments[0].error), (3, 0.0));
    }
    let one = |x: &[f64], _: &[f64]| vec![1e-3; x.len()];
    checked(&[0.3, 2.0], |_| vec![3.0], &one).expect_err("it is zero");
}

#[test]
fn derivatives_that_cancel_are_hidden_by_rounding() {
    // three, and what is left of numbers where their mean is taken from each
    let value = |x: &[f64]| vec![3.0 + left(x)];
    let vjp = |x: &[f64], seed: &[f64]| {
        let each = seed[0] / x.len() as f64;
        x.iter().map(|_| seed[0] - x.iter().map(|_| each).sum::<f64>()).collect::<Vec<f64>>()
    };
    let jvp = |_: &[f64], along: &[f64]| vec![left(along)];
    for count in 2..30 {
        let report = checked_with(&numbers(count), value, &vjp, Some(&jvp), None).expect("it is zero");
        let it = &report.arguments[0];
        assert!(it.error == 0.0 && it.rounded.iter().all(|name| name.starts_with("x[0] to ")), "{report}");
        let wrong = |x: &[f64], seed: &[f64]| vjp(x, seed).iter().map(|d| d + 1e-9).collect::<Vec<f64>>();
        checked(&numbers(count), value, &wrong).expect_err("it is wrong");
    }
    fn left(x: &[f64]) -> f64 {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        x.iter().map(|x| x - mean).sum()
    }
}

#[test]
fn branches_that_the_last_bit_chooses_are_hidden_by_rounding() {
    // where the two factors are equal but for rounding, forward and reverse mode may take different ones
    let value = |x: &[f64]| vec![x[0] * x[0] * 0.25];
    let vjp = |x: &[f64], seed: &[f64]| vec![seed[0] * x[0] * 0.5];
    let jvp = |x: &[f64], along: &[f64]| {
        let factor = if x[0] * 0.1 * 3.0 > x[0] * 0.3 { 0.5 } else { 0.25 };
        vec![along[0] * x[0] * factor]
    };
    for x in [1.0, 3.0, 0.7] {
        checked_with(&[x], value, &vjp, Some(&jvp), None).expect("it depends on the last bit");
    }
}

#[test]
fn kinks_at_the_point_are_not_smooth() {
    let all: [(Value, f64); 4] = [
        (|x| vec![x.iter().map(|x| x.abs()).sum()], 0.0),
        (|x| vec![x.iter().map(|x| x.max(0.0)).sum()], 1.0),
        (|x| vec![x.iter().map(|x| x.sqrt()).sum()], f64::INFINITY),
        (|x| vec![x.iter().map(|x| x.signum()).sum()], 0.0),
    ];
    for (value, slope) in all {
        let gradient = |x: &[f64], _: &[f64]| vec![slope; x.len()];
        let report = checked(&[0.0], value, &gradient).expect("nothing is known");
        assert_eq!(report.arguments[0].not_smooth, ["x[0]"], "{report}");
        assert_eq!(report.arguments[0].directions, 0);
    }
}

#[test]
fn elements_at_kinks_are_named_and_the_others_compared() {
    fn value(x: &[f64]) -> Vec<f64> {
        vec![x.iter().map(|x| x.abs()).sum()]
    }
    let mut x = numbers(1000);
    x[700] = 0.0;
    let gradient = |x: &[f64], _: &[f64]| x.iter().map(|x| x.signum()).collect::<Vec<f64>>();
    let report = checked(&x, value, &gradient).expect("it is right");
    assert_eq!(
        (&report.arguments[0].not_smooth[..], report.arguments[0].directions),
        (&["x[700]".to_owned()][..], 3)
    );
    let wrong = |x: &[f64], seed: &[f64]| {
        let mut own = gradient(x, seed);
        own[3] = 0.5;
        own
    };
    assert_eq!(checked(&x, value, &wrong).expect_err("it is wrong").element, "x[3]");
}

#[test]
fn kinks_beside_the_point_are_avoided() {
    for distance in [1e-2, 1e-3, 1e-4, 1e-5] {
        let x: Vec<f64> = (0..20).map(|k| 1.0 + distance * f64::from(1 + k % 7)).collect();
        let value: Value = |x| vec![x.iter().map(|x| (x - 1.0).max(0.0) * x).sum()];
        let gradient = |x: &[f64], _: &[f64]| x.iter().map(|x| 2.0 * x - 1.0).collect::<Vec<f64>>();
        let report = checked(&x, value, &gradient).expect("it is right");
        assert_eq!(report.arguments[0].directions, 3, "{distance}: {report}");
        let wrong = |x: &[f64], _: &[f64]| x.iter().map(|x| 2.01 * x - 1.0).collect::<Vec<f64>>();
        checked(&x, value, &wrong).expect_err("it is wrong");
    }
}

#[test]
fn scales_of_arguments_and_values_do_not_matter() {
    for scale in [1e-150, 1e-30, 1e-9, 1.0, 1e9, 1e30, 1e150] {
        for factor in [1e-100, 1e-12, 1.0, 1e12, 1e100] {
            let x: Vec<f64> = numbers(7).iter().map(|x| scale * x).collect();
            let value = |x: &[f64]| vec![x.iter().map(|x| factor * (x / scale).sin()).sum::<f64>()];
            let gradient = |x: &[f64], error: f64| {
                let mut own: Vec<f64> = x.iter().map(|x| factor * (x / scale).cos() / scale).collect();
                own[2] *= error;
                own
            };
            let run = |error: f64| {
                check(&Functions {
                    name: "f",
                    inputs: &|visitor| {
                        visitor.part("x");
                        x.clone().visit(visitor);
                    },
                    value: &|x, visitor| visited(value(x), visitor),
                    vjp: &|x, _| Some(gradient(x, error)),
                    jvp: None,
                    hvp: None,
                    unit_seed: false,
                })
            };
            let report = run(1.0).expect("it is right");
            assert_eq!(report.arguments[0].directions, 3, "{scale:e} {factor:e}");
            assert_eq!(run(1.001).expect_err("it is wrong").element, "x[2]", "{scale:e} {factor:e}");
        }
    }
}

#[test]
fn functions_without_a_number_say_nothing() {
    let gradient = |x: &[f64], _: &[f64]| vec![f64::NAN; x.len()];
    let report = checked(&[1.0, 2.0], |x| vec![x[0] * f64::NAN], &gradient).expect("nothing is known");
    assert_eq!(report.arguments[0].directions, 0);
    // other outputs are compared
    let value: Value = |x| vec![f64::NEG_INFINITY, x[0] * x[1]];
    let gradient = |x: &[f64], seed: &[f64]| vec![seed[1] * x[1], seed[1] * x[0]];
    assert_eq!(checked(&[1.0, 2.0], value, &gradient).expect("it is right").arguments[0].directions, 3);
    let gradient = |x: &[f64], seed: &[f64]| vec![seed[1] * x[1], seed[1] * x[1]];
    assert_eq!(checked(&[1.0, 2.0], value, &gradient).expect_err("it is wrong").element, "x[1]");
}

#[test]
fn points_without_a_value_are_left_out() {
    let run = |error: f64, end: f64| {
        check(&Functions {
            name: "f",
            inputs: &|visitor| {
                visitor.part("x");
                0.7_f64.visit(visitor);
            },
            value: &|x, visitor| (x[0] < end).then(|| (x[0] * x[0]).visit(visitor)),
            vjp: &|x, _| (x[0] < end).then(|| vec![2.0 * x[0] * error]),
            jvp: None,
            hvp: None,
            unit_seed: false,
        })
    };
    assert_eq!(run(1.0, 0.71).expect("it is right").arguments[0].directions, 3);
    assert_eq!(run(1.001, 0.71).expect_err("it is wrong").element, "x");
    let absent = std::panic::catch_unwind(|| run(1.0, 0.6));
    let message = absent.expect_err("there is no value").downcast::<String>().expect("a message");
    assert_eq!(*message, "f: there is no value to be checked here");
}

#[test]
fn noise_and_fast_waves_are_not_taken_for_wrong_gradients() {
    let noisy: Value = |x| vec![x[0] * x[0] + 1e-3 * (x[0] * 1e14).sin()];
    checked(&[0.7], noisy, &|x, _| vec![2.0 * x[0]]).expect("nothing is known");
    for frequency in [1e3, 1e4, 1e5, 1e6, 1e7, 1e8] {
        check(&Functions {
            name: "f",
            inputs: &|visitor| {
                visitor.part("x");
                0.7_f64.visit(visitor);
            },
            value: &|x, visitor| visited((frequency * x[0]).sin(), visitor),
            vjp: &|x, _| Some(vec![frequency * (frequency * x[0]).cos()]),
            jvp: None,
            hvp: None,
            unit_seed: false,
        })
        .unwrap_or_else(|mismatch| panic!("{frequency:e}: {mismatch}"));
    }
}

#[test]
fn tangents_are_compared_with_gradients_to_rounding() {
    let x = numbers(100);
    let tangent = |error: f64| {
        move |x: &[f64], v: &[f64]| {
            let mut slope = slope_of_waves(x, &[1.0]);
            slope[40] *= error;
            vec![slope.iter().zip(v).map(|(g, v)| g * v).sum()]
        }
    };
    let run = |error: f64| checked_with(&x, waves, &slope_of_waves, Some(&tangent(error)), None);
    let error = run(1.0).expect("it is right").arguments[0].tangent_error;
    assert!(error.is_some_and(|error| error < 1e-14), "{error:?}");
    // it is part of every tangent
    assert_eq!(run(f64::NAN).expect_err("it is wrong").derivative, Derivative::Tangent);
    for error in [1.0 + 1e-6, 0.0] {
        let mismatch = run(error).expect_err("it is wrong");
        assert_eq!(
            (mismatch.derivative, &mismatch.element[..]),
            (Derivative::Tangent, "x[40]"),
            "{mismatch}"
        );
    }
}

#[test]
fn products_are_compared_with_differences_of_gradients() {
    // x0^2 x1 + x2^3
    let value: Value = |x| vec![x[0] * x[0] * x[1] + x[2].powi(3)];
    let gradient =
        |x: &[f64], w: &[f64]| vec![2.0 * w[0] * x[0] * x[1], w[0] * x[0] * x[0], 3.0 * w[0] * x[2] * x[2]];
    let product = |error: f64| {
        move |x: &[f64], v: &[f64], w: &[f64]| {
            Some(vec![
                2.0 * w[0] * (x[1] * v[0] + x[0] * v[1]),
                error * 2.0 * w[0] * x[0] * v[0],
                6.0 * w[0] * x[2] * v[2],
            ])
        }
    };
    let run = |error: f64| checked_with(&[1.2, -0.7, 0.4], value, &gradient, None, Some(&product(error)));
    let error = run(1.0).expect("it is right").arguments[0].product_error;
    assert!(error.is_some_and(|error| error < 1e-8), "{error:?}");
    let mismatch = run(1.001).expect_err("it is wrong");
    assert_eq!((mismatch.derivative, &mismatch.element[..]), (Derivative::Product, "x[1]"), "{mismatch}");
}

#[test]
fn singles_are_checked_as_far_as_they_go() {
    let x: Vec<f32> = numbers(300).iter().map(|x| *x as f32).collect();
    let run = |error: f32| {
        check(&Functions {
            name: "f",
            inputs: &|visitor| {
                visitor.part("x");
                x.clone().visit(visitor);
            },
            value: &|x, visitor| {
                visited(x.iter().map(|x| (*x as f32).sin() * *x as f32).sum::<f32>(), visitor)
            },
            vjp: &|x, _| {
                let slope = |x: &f64| f64::from((*x as f32).sin() + *x as f32 * (*x as f32).cos());
                let mut slopes: Vec<f64> = x.iter().map(slope).collect();
                slopes[200] *= f64::from(error);
                Some(slopes)
            },
            jvp: None,
            hvp: None,
            unit_seed: false,
        })
    };
    let report = run(1.0).expect("it is right");
    assert_eq!(report.arguments[0].directions, 3, "{report}");
    assert_eq!(run(-1.0).expect_err("it is wrong").element, "x[200]");
}

#[test]
fn empty_arguments_and_functions_without_outputs_pass() {
    let report = checked(&[], |_| vec![1.0], &|_, _| Vec::new()).expect("nothing is wrong");
    assert_eq!((report.arguments[0].elements, report.arguments[0].directions), (0, 0));
    checked(&[1.0], |_| Vec::new(), &|_, _| vec![0.0]).expect("nothing is wrong");
}

#[test]
fn messages_say_what_is_wrong_and_what_to_do() {
    let gradient = |x: &[f64], _: &[f64]| vec![2.0 * x[0] + 1.0];
    let mismatch = checked(&[1.5], |x| vec![x[0] * x[0]], &gradient).expect_err("it is wrong");
    let text = format!("{mismatch:?}");
    assert!(
        text.starts_with("f: the gradient at `x[0]` is 4e0, but by differences of the function it is 3"),
        "{text}"
    );
    assert!(text.contains("custom(partials = …)"), "{text}");
    let report = checked(&[1.5], |x| vec![x[0] * x[0]], &|x, _| vec![2.0 * x[0]]).expect("it is right");
    assert!(
        report.to_string().starts_with(
            "derivatives of f against differences\n  x  1 element, 3 directions, relative error "
        ),
        "{report}"
    );
}
