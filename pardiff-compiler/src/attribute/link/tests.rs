//! Exported items and their users, as rustc would let them meet.

use super::super::{expand, with};
use crate::frontend::Features;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("tokens")
}

fn groups(tokens: TokenStream) -> Vec<Group> {
    let groups = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    });
    groups.collect()
}

/// What the macro of an exported item hands on.
fn source(expanded: TokenStream) -> TokenStream {
    let mut tokens = expanded.into_iter().skip_while(|token| token.to_string() != "macro_rules");
    let rules = tokens.find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    });
    let transcribed = groups(rules.expect("rules")).remove(1).stream();
    let state = groups(transcribed).into_iter().find(|group| group.delimiter() == Delimiter::Brace);
    groups(state.expect("a call back").stream()).remove(0).stream()
}

fn exported(attr: &str, item: &str) -> TokenStream {
    source(expand(tokens(attr), tokens(item)))
}

/// The expansion of an item that uses exported ones, each by a path.
fn used(attr: &str, item: &str, uses: &[(&str, TokenStream)]) -> String {
    let paths: Vec<TokenStream> = uses.iter().map(|(path, _)| tokens(path)).collect();
    let (attr, item) = (tokens(attr), tokens(item));
    let attr = quote!(#attr uses(#(#paths),*));
    let mut out = expand(attr, item);
    for (_, source) in uses {
        // behind the item comes the question, whose state is in braces
        let state = groups(out).pop().expect("a question").stream();
        let state = groups(state).into_iter().filter(|group| group.delimiter() == Delimiter::Brace);
        out = with(Features::default(), quote!({ #source } #(#state)*));
    }
    out.to_string()
}

fn pair() -> TokenStream {
    exported("export", "pub fn pair(a: f64, b: f64) -> f64 { let t = a * b; t * t }")
}

#[test]
fn names_are_unique_inside_and_plain_outside() {
    let text = used("", "pub fn f(x: &[f64]) -> f64 { pair(x[0], x[1]) }", &[("forces::pair", pair())]);
    assert!(text.contains("pub mod f") && !text.contains("compile_error"), "{text}");
    assert!(!text.contains("__pd"), "{text}");
    assert!(text.contains("is_the_one_that_is_used (pair , forces :: pair)"), "{text}");
}

#[test]
fn a_path_that_is_that_of_uses_needs_no_proof() {
    for (path, call) in
        [("pair", "pair"), ("forces::pair", "forces::pair"), ("crate::a::pair", "crate::a::pair")]
    {
        let text = used("", &format!("fn f(x: f64) -> f64 {{ {call}(x, x) }}"), &[(path, pair())]);
        assert!(!text.contains("is_the_one") && !text.contains("compile_error"), "{text}");
    }
}

#[test]
fn a_variable_hides_what_is_used() {
    let text = used(
        "",
        "fn f(x: f64) -> f64 { let pair = |a: f64, b: f64| a - b; pair(x, 1.0) }",
        &[("pair", pair())],
    );
    assert!(!text.contains("compile_error") && !text.contains("x * x"), "{text}");
}

#[test]
fn one_exported_item_in_two_sources_is_one() {
    let a = used("export,", "pub fn a(x: f64) -> f64 { pair(x, 1.0) }", &[("pair", pair())]);
    let a = source(tokens(&a));
    let text = used("", "fn f(x: f64) -> f64 { a(x) + pair(x, x) }", &[("a", a), ("pair", pair())]);
    assert!(!text.contains("compile_error"), "{text}");
}

#[test]
fn a_value_that_the_user_does_not_see_is_refused() {
    let source = exported("export", "pub fn scaled(x: f64) -> f64 { SCALE * x }");
    let text = used("", "fn f(x: f64) -> f64 { scaled(x) }", &[("scaled", source)]);
    assert!(text.contains("`SCALE`, which an exported item sees where it stands"), "{text}");
    assert!(text.contains("uses(SCALE)") && !text.contains("__pd"), "{text}");
    let source = exported("export", "pub const TWICE: [f64; 1] = [2.0 * SCALE];");
    let text = used("", "fn f(x: f64) -> f64 { TWICE[0] * x }", &[("TWICE", source)]);
    assert!(text.contains("`SCALE`, which an exported constant sees"), "{text}");
    let source =
        exported("export", "pub mod m { const fn two() -> f64 { 2.0 } pub const TWO: f64 = two(); }");
    let text = used("", "fn f(x: f64) -> f64 { m::TWO * x }", &[("m", source)]);
    assert!(text.contains("`two`, which an exported constant sees"), "{text}");
}

#[test]
fn a_constant_of_std_is_proved_where_it_is_exported() {
    let item = "pub fn area(r: f64) -> f64 { PI * r * r }";
    let text = expand(tokens("export"), tokens(item)).to_string();
    assert!(
        text.contains("f64 :: to_bits (PI) == f64 :: to_bits (:: core :: f64 :: consts :: PI)"),
        "{text}"
    );
    let text = used("", "fn f(x: f64) -> f64 { area(x) }", &[("area", exported("export", item))]);
    assert!(!text.contains("compile_error"), "{text}");
    let single = expand(tokens("export"), tokens("pub fn area(r: f32) -> f32 { PI * r * r }")).to_string();
    assert!(single.contains("f32 :: to_bits (PI)"), "{single}");
}

#[test]
fn a_variant_that_a_body_imports_is_that_of_what_is_used() {
    let kind = exported("export", "#[derive(Clone, Copy)] pub enum Kind { A, B }");
    let item = "pub fn of(kind: Kind, x: f64) -> f64 { use Kind::*; match kind { A => x, B => x * x } }";
    let of = used("export,", item, &[("Kind", kind.clone())]);
    assert!(!of.contains("compile_error"), "{of}");
    let of = source(tokens(&of));
    let text = used("", "fn f(k: Kind, x: f64) -> f64 { of(k, x) }", &[("of", of), ("Kind", kind)]);
    assert!(!text.contains("compile_error"), "{text}");
}

#[test]
fn the_stub_of_a_refused_function_has_no_names_of_units() {
    let pair = exported("export", "pub type Pair<T> = (T, [T; 2]);");
    let text = used("", "fn f<T: Float>(x: Pair<T>) -> Pair<T> { unseen(x) }", &[("Pair", pair)]);
    assert!(text.contains("compile_error") && !text.contains("__pd"), "{text}");
}

#[test]
fn a_constant_goes_where_its_user_is() {
    let source = exported("export", "pub mod m { const HALF: f64 = 0.5; pub const ONE: f64 = HALF + HALF; }");
    let text = used("", "fn f(x: f64) -> f64 { m::ONE * x }", &[("m", source)]);
    assert!(text.contains("const ONE__pd") && text.contains("const HALF__pd"), "{text}");
    assert!(!text.contains("compile_error"), "{text}");
}

#[test]
fn private_items_of_a_module_have_no_names_outside() {
    let source = exported(
        "export",
        "pub mod m { fn hidden(x: f64) -> f64 { x } pub fn open(x: f64) -> f64 { hidden(x) } }",
    );
    let text = used("", "fn f(x: f64) -> f64 { m::open(x) + hidden(x) }", &[("m", source)]);
    assert!(text.contains("a call of `hidden`, which is not in the body"), "{text}");
}

#[test]
fn a_type_is_written_as_its_user_writes_it() {
    let atom = || exported("export", "pub struct Atom { pub charge: f64 }");
    for (path, ty, inside) in [
        ("Atom", "Atom", "super :: Atom"),
        ("crate::Atom", "crate::Atom", "& crate :: Atom"),
        ("super::Atom", "super::Atom", "super :: super :: Atom"),
        ("self::Atom", "Atom", "super :: Atom"),
        ("forces::Atom", "forces::Atom", "super :: Atom__pd"),
    ] {
        let text = used("", &format!("fn f(a: &{ty}) -> f64 {{ a.charge * a.charge }}"), &[(path, atom())]);
        assert!(!text.contains("compile_error"), "{text}");
        assert!(text.contains(inside), "{ty}: {text}");
    }
}

#[test]
fn a_type_without_a_name_is_asked_for() {
    let atom = exported("export", "pub struct Atom { pub charge: f64 }");
    let pair = used("export,", "pub struct Pair { pub a: Atom, pub b: Atom }", &[("Atom", atom)]);
    let source = source(tokens(&pair));
    let item = "fn f(p: &Pair) -> f64 { p.a.charge * p.b.charge }";
    let text = used("", item, &[("Pair", source)]);
    assert!(text.contains("the type `Atom`, which the attribute does not name"), "{text}");
    assert!(text.contains("uses(Atom, …)"), "{text}");
}

#[test]
fn what_only_is_exported_may_have_no_gradient() {
    for item in
        ["fn apply(f: impl Fn(f64) -> f64) -> f64 { f(1.0) }", "fn count(n: usize) -> usize { n + 1 }"]
    {
        let text = expand(tokens("export"), tokens(item)).to_string();
        assert!(!text.contains("compile_error") && text.contains("macro_rules"), "{text}");
    }
    // asked for, it is refused
    let text = expand(tokens("export, wrt(x)"), tokens("fn f(x: f64) -> f64 { g(x) }")).to_string();
    assert!(text.contains("compile_error"), "{text}");
}

#[test]
fn what_is_only_exported_has_no_derivatives() {
    let module = "mod kernels { pub struct Line { pub a: f64 } impl Line { pub fn at(&self, x: f64) -> f64 { self.a * x } } \
                  pub fn f(x: f64) -> f64 { x * x } #[differentiate] pub fn g(x: f64) -> f64 { x } }";
    let has = |text: &str, of: &str| text.contains(&format!("gradient of `{of}`"));
    let text = expand(tokens("export"), tokens(module)).to_string();
    assert!(["Line::at", "f", "g"].iter().all(|of| has(&text, of)), "{text}");
    let text = expand(tokens("export = \"only\""), tokens(module)).to_string();
    assert!(has(&text, "g") && !has(&text, "f") && !has(&text, "Line::at"), "{text}");
    assert!(text.contains("macro_rules"), "{text}");
    let text = expand(tokens("export = \"only\""), tokens("pub fn f(x: f64) -> f64 { x * x }")).to_string();
    assert!(text.contains("macro_rules") && !has(&text, "f") && !text.contains("compile_error"), "{text}");
    let text = expand(tokens("export = \"only\", forward"), tokens("fn f(x: f64) -> f64 { x }")).to_string();
    assert!(text.contains("beside what is said of derivatives"), "{text}");
}

#[test]
fn names_with_small_letters_are_functions() {
    let text = expand(tokens("export"), tokens("pub struct atom { pub x: f64 }")).to_string();
    assert!(text.contains("begin its name with a capital"), "{text}");
    let text = expand(tokens(""), tokens("pub struct Atom { pub x: f64 }")).to_string();
    assert!(text.contains("neither a function nor a module"), "{text}");
}

#[test]
fn another_version_is_refused() {
    let text = pair().to_string().replace(env!("CARGO_PKG_VERSION"), "0.0.1");
    let text = used("", "fn f(x: f64) -> f64 { pair(x, x) }", &[("pair", tokens(&text))]);
    assert!(text.contains("let both crates depend on one version of pardiff"), "{text}");
}

#[test]
fn the_modules_of_an_impl() {
    let atom = || exported("export", "pub struct Atom { pub charge: f64 }");
    for (item, name) in [
        ("impl Atom { pub fn f(&self) -> f64 { self.charge } }", "mod atom"),
        ("impl Area for Atom { fn f(&self) -> f64 { self.charge } }", "mod atom_area"),
    ] {
        let text = used("export,", item, &[("Atom", atom())]);
        assert!(!text.contains("compile_error") && text.contains(name), "{text}");
        assert!(text.contains("exported_by_differentiate"), "{text}");
    }
    let text = expand(tokens(""), tokens("impl Atom { pub fn f(&self) -> f64 { self.charge } }")).to_string();
    assert!(text.contains("`#[differentiate(uses(Atom))]` here"), "{text}");
}

#[test]
fn a_function_with_a_rule_is_called_by_its_path() {
    let rules = "pub mod rules {
        #[differentiate(custom(partials = slope))]
        pub fn lambert(x: f64) -> f64 { other::lambert(x) }
        fn slope(x: f64) -> f64 { let w = lambert(x); w / (x * (1.0 + w)) }
        pub fn twice(x: f64) -> f64 { 2.0 * lambert(x) }
    }";
    let text =
        used("", "fn f(x: f64) -> f64 { rules::twice(x) }", &[("a::rules", exported("export", rules))]);
    assert!(!text.contains("compile_error") && text.contains("a :: rules :: lambert (x)"), "{text}");
    let module = used(
        "",
        "mod m { pub fn f(x: f64) -> f64 { super::a::rules::twice(x) } }",
        &[("a::rules", exported("export", rules))],
    );
    assert!(
        !module.contains("compile_error") && module.contains("super :: a :: rules :: lambert (x)"),
        "{module}"
    );
    // where it is not seen, it is refused
    let hidden = exported("export", &rules.replace("pub fn lambert", "fn lambert"));
    let text = used("", "fn f(x: f64) -> f64 { rules::twice(x) }", &[("a::rules", hidden)]);
    assert!(text.contains("the function `lambert`, which the attribute does not name"), "{text}");
}

#[test]
fn a_module_that_a_body_imports_as_a_whole_hides_functions() {
    let text = used("", "fn f(x: f64) -> f64 { use other::*; pair(x, 1.0) }", &[("pair", pair())]);
    assert!(text.contains("a call of `pair`, which is not in the body"), "{text}");
    // constants and variants are no functions
    for glob in ["use std::f64::consts::*;", "use Kind::*;"] {
        let text = used("", &format!("fn f(x: f64) -> f64 {{ {glob} pair(x, 1.0) }}"), &[("pair", pair())]);
        assert!(!text.contains("a call of `pair`"), "{text}");
    }
    let source = exported("export", "pub fn half(x: f64) -> f64 { use std::f64::consts::*; x * PI }");
    let text = used("", "fn f(x: f64) -> f64 { half(x) }", &[("half", source)]);
    assert!(!text.contains("compile_error"), "{text}");
}

#[test]
fn fields_in_macros_keep_their_names() {
    let source = exported("export", "pub struct Two { pub pair: Option<usize>, pub x: f64 }");
    let item = "fn f(k: usize, x: f64) -> f64 { let t = Two { pair: Some(k), x }; if matches!(t.pair, Some(a) if a > 1) { pair(t.x, x) } else { x } }";
    let text = used("", item, &[("Two", source), ("pair", pair())]);
    assert!(!text.contains("compile_error"), "{text}");
}

#[test]
fn parameters_of_an_impl_are_no_names_of_elsewhere() {
    let layer = || exported("export", "pub struct Layer<const N: usize> { pub w: [f64; N] }");
    let methods = "impl<const N: usize> Layer<N> { pub fn sum(&self) -> f64 { let mut s = 0.0; for i in 0..N { s += self.w[i]; } s / N as f64 } }";
    let methods = used("export,", methods, &[("Layer", layer())]);
    assert!(!methods.contains("elsewhere"), "{methods}");
}

#[test]
fn private_fields_of_another_file_are_refused() {
    for (item, body, field) in
        [("pub struct W { x: f64 }", "w.x * w.x", "`x`"), ("pub struct W(f64);", "w.0 * w.0", "`0`")]
    {
        // each text is a file of its own
        let text = used("", &format!("fn f(w: &W) -> f64 {{ {body} }}"), &[("W", exported("export", item))]);
        assert!(text.contains(&format!("the private field {field} of `W`")), "{text}");
    }
}

#[test]
fn an_import_of_a_module_says_what_a_name_is() {
    let half = || exported("export", "pub const HALF: f64 = 0.5;");
    let body = "pub fn f(x: f64) -> f64 { HALF * x }";
    for import in ["crate::units::HALF", "crate::units::{self, HALF}", "crate::units::*"] {
        let module = format!("mod kernels {{ use {import}; {body} }}");
        for attr in ["", "export,"] {
            let text = used(attr, &module, &[("crate::units::HALF", half())]);
            assert!(!text.contains("compile_error"), "{import}: {text}");
        }
    }
    let elsewhere = format!("mod kernels {{ use crate::others::HALF; {body} }}");
    let text = used("export,", &elsewhere, &[("crate::units::HALF", half())]);
    let source = source(tokens(&text));
    let text = used("", "fn g(x: f64) -> f64 { kernels::f(x) }", &[("kernels", source)]);
    assert!(text.contains("`HALF`, which an exported item sees where it stands"), "{text}");
}

#[test]
fn a_variable_hides_what_is_used_behind_its_let_alone() {
    let taken = [
        "let pair = pair(x, 2.0); pair + 1.0",
        "{ let pair = 1.0; x * pair; } pair(x, 2.0)",
        "[x].iter().map(|pair| pair * 2.0).sum::<f64>() + pair(x, 1.0)",
        "for pair in 0..2 { x += pair as f64; } pair(x, 1.0)",
        "if let Some(pair) = Some(pair(x, 1.0)) { pair } else { pair(x, 2.0) }",
        "match pair(x, 2.0) { pair => pair }",
    ];
    for body in taken {
        let text = used("", &format!("fn f(mut x: f64) -> f64 {{ {body} }}"), &[("pair", pair())]);
        assert!(!text.contains("compile_error"), "{body}: {text}");
    }
    let hidden = [
        "let pair = |a: f64, b: f64| a - b; { pair(x, 1.0) }",
        "fn pair(a: f64, b: f64) -> f64 { a - b } pair(x, 1.0)",
    ];
    for body in hidden {
        let text = used("", &format!("fn f(mut x: f64) -> f64 {{ {body} }}"), &[("pair", pair())]);
        assert!(!text.contains("compile_error") && !text.contains("d_t"), "{body}: {text}");
    }
    let body = "if let Some(pair) = Some(x) { pair(x, 1.0) } else { x }";
    let text = used("", &format!("fn f(x: f64) -> f64 {{ {body} }}"), &[("pair", pair())]);
    assert!(text.contains("a call of a variable"), "{text}");
}

#[test]
fn attributes_that_a_configuration_adds() {
    let text = |attr: &str| {
        let source =
            exported("export", &format!("#[cfg_attr({attr})] pub fn half(x: f64) -> f64 {{ 0.5 * x }}"));
        used("", "fn f(x: f64) -> f64 { half(x) }", &[("half", source)])
    };
    for attr in [
        "fast, inline",
        "fast, must_use, allow(dead_code)",
        "test, differentiate",
        "fast, differentiate(check)",
    ] {
        assert!(!text(attr).contains("compile_error"), "{}", text(attr));
    }
    for attr in ["fast, cfg(unix)", "fast, differentiate(custom(partials = d))", "fast, traced"] {
        assert!(text(attr).contains("`#[cfg_attr]` inside the function"), "{}", text(attr));
    }
}
