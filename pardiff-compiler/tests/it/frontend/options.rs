//! The options of the attribute.

use pardiff_compiler::frontend::{Options, lower, signature};
use quote::ToTokens;

fn messages(options: &str) -> Vec<String> {
    match Options::parse(options.parse().unwrap()) {
        Ok(_) => panic!("accepted"),
        Err(refusals) => refusals.into_iter().map(|refusal| refusal.what).collect(),
    }
}

#[test]
fn all_options() {
    let text = "wrt(a, r#b), strict, sequential, cuda, deny(atomics), crate = crate::ad, module = grads, parallel(i, j)";
    let options = Options::parse(text.parse().unwrap()).unwrap();
    let names: Vec<String> = options.wrt.iter().flatten().map(ToString::to_string).collect();
    assert_eq!(names, ["a", "r#b"]);
    assert!(options.strict && options.sequential && options.cuda.is_some() && options.deny_atomics);
    assert_eq!(options.krate.to_token_stream().to_string(), "crate :: ad");
    assert_eq!(options.module.unwrap(), "grads");
    assert_eq!(options.parallel.len(), 2);
    let none = Options::parse(Default::default()).unwrap();
    assert!(none.wrt.is_none() && !none.strict);
}

#[test]
fn options_of_the_whole_function_take_no_arguments() {
    let messages = messages("split(2)");
    assert_eq!(messages.len(), 1);
    assert!(messages[0].contains("takes no arguments"), "{messages:?}");
}

#[test]
fn a_rule_names_a_function() {
    let options = |attr: &str| Options::parse(attr.parse().unwrap());
    let rule = options("custom(partials = d_f)").unwrap_or_default().custom;
    assert_eq!(rule.map(|rule| rule.written()).as_deref(), Some("custom(partials = d_f)"));
    for text in ["custom(vjp = a::f)", "custom(vjp = f, jvp = g)", "custom(jvp = g)"] {
        let rule = options(text).unwrap_or_default().custom;
        assert_eq!(rule.map(|rule| rule.written()).as_deref(), Some(text));
    }
    for attr in [
        "custom",
        "custom(f)",
        "custom(slope = f)",
        "custom(partials = a::f)",
        "custom(vjp = f, partials = f)",
        "custom(vjp = f, vjp = f)",
        "custom(1)",
    ] {
        let refused = messages(attr);
        assert!(refused.len() == 1 && refused[0].contains("custom"), "{refused:?}");
    }
}

#[test]
fn wrong_options_are_refused_together() {
    let messages = messages("wrt, backward, module = a::b, strict(1), deny(warnings), wrt(a), wrt(b)");
    assert_eq!(messages.len(), 6, "{messages:?}");
    assert!(messages[1].contains("`backward` is not an option"));
    let refusal = &Options::parse("backward".parse().unwrap()).err().expect("refused")[0];
    for name in [
        "wrt",
        "forward",
        "hvp",
        "split",
        "cuda",
        "sequential",
        "strict",
        "custom",
        "deny",
        "crate",
        "module",
    ] {
        assert!(refusal.why.contains(name), "{name}");
    }
    assert!(Options::parse("= 3".parse().unwrap()).is_err());
    assert!(Options::parse("wrt(a + b)".parse().unwrap()).is_err());
    assert!(Options::parse("crate = \"x\"".parse().unwrap()).is_err());
}

#[test]
fn wrt_names_active_inputs() {
    let options = Options::parse("wrt(w)".parse().unwrap()).unwrap();
    let item =
        syn::parse_str("fn f(w: &[f64], x: &[f64], n: usize, y: &mut [f32]) -> f64 { w[n] * x[n] }").unwrap();
    let lowered = lower(&options, item).unwrap();
    let active: Vec<bool> = lowered.signature.params.iter().map(|param| param.active).collect();
    assert_eq!(active, [true, false, false, true]);
}

#[test]
fn wrt_of_unknown_and_integer_parameters() {
    let options = Options::parse("wrt(z, n, w, w)".parse().unwrap()).unwrap();
    let item = syn::parse_str("fn f(w: &[f64], n: usize) -> f64 { w[n] }").unwrap();
    let refusals = lower(&options, item).err().expect("refused");
    let what: Vec<&str> = refusals.iter().map(|refusal| refusal.what.as_str()).collect();
    assert_eq!(
        what,
        ["`z` in `wrt` is not a parameter", "`n` in `wrt` is not a float", "`w` is named twice in `wrt`"]
    );
}

#[test]
fn the_signature_of_a_refused_function() {
    let options = Options::default();
    let item: syn::ItemFn =
        syn::parse_str("#[deprecated] #[inline] pub fn f(w: &[f64], p: &Params, n: usize) -> (f64, usize) { while true {} (0.0, 1) }")
            .unwrap();
    let (signature, refusals) = signature(&options, &item);
    assert_eq!(refusals.len(), 1);
    assert_eq!(signature.params.len(), 2);
    assert_eq!(signature.attrs.len(), 1);
    assert_eq!(signature.module, "f");
    assert!(lower(&options, item).is_err());
}
