//! Functions by the paths of crates that have them: what is lowered is the same as for the method.

use pardiff_compiler::frontend::{Options, lower};
use pardiff_compiler::refusal::Refusal;

fn lowered(types: &str, body: &str) -> Result<String, Vec<Refusal>> {
    let source = format!("fn f(x: {types}, y: {types}, z: {types}) -> {types} {{ {body} }}");
    let function = syn::parse_str(&source).unwrap_or_else(|error| panic!("{source}: {error}"));
    lower(&Options::default(), function).map(|lowered| lowered.cases.general().to_string())
}

#[track_caller]
fn same(types: &str, path: &str, method: &str) {
    match (lowered(types, path), lowered(types, method)) {
        (Ok(path), Ok(method)) => assert_eq!(path, method),
        (path, method) => panic!("{path:?}\n{method:?}"),
    }
}

#[test]
fn functions_of_libm_are_methods() {
    for (path, method) in [
        ("fabs(x)", "x.abs()"),
        ("log(x)", "x.ln()"),
        ("log1p(x)", "x.ln_1p()"),
        ("expm1(x)", "x.exp_m1()"),
        ("pow(x, y)", "x.powf(y)"),
        ("atan2(x, y)", "x.atan2(y)"),
        ("fma(x, y, z)", "x.mul_add(y, z)"),
        ("fmax(x, y)", "x.max(y)"),
        ("fmin(x, y)", "x.min(y)"),
        ("rint(x)", "x.round_ties_even()"),
        ("hypot(x, y)", "x.hypot(y)"),
        ("cbrt(x)", "x.cbrt()"),
        ("cos(2.0)", "2f64.cos()"),
    ] {
        same("f64", &format!("libm::{path}"), method);
        same("f32", &format!("::libm::{}", path.replacen('(', "f(", 1)), &method.replace("2f64", "2f32"));
    }
    same("f64", "let (s, c) = libm::sincos(x); s * c", "let (s, c) = x.sin_cos(); s * c");
    same("f32", "libm::sincosf(x).0", "x.sin_cos().0");
}

#[test]
fn crates_and_imports_name_one_function() {
    let erf = "pardiff::math::erf(x)";
    same("f64", "libm::erf(x)", erf);
    same("f32", "libm::erff(x)", erf);
    same("f64", "statrs::function::erf::erf(x)", erf);
    same("f64", "use libm::erf; erf(x)", erf);
    same("f64", "use libm::erf as error; error(x)", erf);
    same("f64", "use libm::*; erf(x)", erf);
    same("f64", "use statrs::function::erf; erf::erf(x)", erf);
    same("f64", "use statrs::function::erf::*; erf(x)", erf);
    same("f64", "use pardiff::math; math::erf(x)", erf);
    same("f64", "use pardiff::math::*; erf(x)", erf);
    same("f64", "libm::lgamma(x)", "statrs::function::gamma::ln_gamma(x)");
    same("f64", "libm::tgamma(x)", "pardiff::math::gamma(x)");
    same("f64", "statrs::function::gamma::digamma(x)", "pardiff::math::digamma(x)");
    same("f64", "libm::j0(x) + libm::j1(y)", "pardiff::math::j0(x) + pardiff::math::j1(y)");
    // a function of the body hides what is imported
    same(
        "f64",
        "use libm::*; fn erf(x: f64) -> f64 { x * x } erf(x)",
        "fn own(x: f64) -> f64 { x * x } own(x)",
    );
}

#[test]
fn the_crate_may_have_another_name() {
    let options = Options::parse("crate = other::diff".parse().expect("tokens")).expect("an option");
    let function = syn::parse_quote!(
        fn f(x: f64) -> f64 {
            other::diff::math::erfc(x)
        }
    );
    let program = lower(&options, function).expect("it is known").cases.general().to_string();
    assert!(program.contains("erfc(x)"), "{program}");
}

#[test]
fn what_no_method_is_of_std_is_refused_as_one() {
    // unstable methods of std: which value they have is not said
    for method in ["x.erf()", "x.gamma()", "x.ln_gamma()", "x.digamma()"] {
        let refusals = lowered("f64", method).expect_err("it is no method");
        assert_eq!(refusals.len(), 1, "{refusals:?}");
    }
}

#[test]
fn names_from_outside_are_refused_with_their_path() {
    for (call, help) in [
        ("cos(x)", "libm::cos(…)"),
        ("erf(x)", "pardiff::math::erf(…)"),
        ("digamma(x)", "pardiff::math::digamma(…)"),
    ] {
        let refusals = lowered("f64", call).expect_err("nobody says which function it is");
        assert!(format!("{refusals:?}").contains(help), "{refusals:?}");
    }
}
