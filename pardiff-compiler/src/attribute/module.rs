//! The attribute on an inline module: every function of it that is visible outside and has a gradient gets its module
//! beside it, and its body may use what stands in the module.

use super::link::{self, Scope, Sources, Written};
use super::methods::{Methods, own_attribute, seen_from_inside};
use super::names_taken::Taken;
use super::nested_modules::with_nested;
use super::{beside, bindings, differentiated, stripped};
use crate::backend::rust;
use crate::frontend::{self, Features, Module, Options};
use crate::ndarray::{self, Form};
use crate::refusal::Refusal;
use crate::visit::Visit;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::collections::HashSet;
use syn::{FnArg, Ident, Item, ItemFn, ItemMod, ReturnType, TraitItem, Type, Visibility};

/// What `#[differentiate(attr)] mod m { … }` expands to. A function that is refused leaves the others as they are.
pub(super) fn expand(
    features: Features,
    attr: TokenStream,
    mut item: ItemMod,
    sources: &Sources,
) -> TokenStream {
    let (defaults, mut refusals) = Options::read_for_module(attr);
    let defaults = Options { features, ..defaults };
    if item.content.is_none() {
        refusals.push(in_another_file(&item));
        return beside(&item.to_token_stream(), &refusals);
    }
    let (whole, file) = (Item::Mod(item.clone()), item.ident.span().file());
    let Some((_, items)) = &mut item.content else { return item.to_token_stream() };
    let sources = &with_nested(items, sources);
    let written_out = items.len();
    items.extend(frontend::items_of_macros(items));
    let bindings = bindings::tried(|names| items.iter().for_each(|item| names.visit_item(item)));
    let unit = defaults.export.as_ref().map(|_| link::exported(&whole, Some(items), sources));
    let mut written = Written::inside();
    let (scope, mut linked) = (Scope::inside(sources), items.clone());
    frontend::expand_in_impls(&mut linked);
    if !sources.is_empty() {
        linked.iter_mut().for_each(|item| written.extend(link::rewrite_item(item, &scope, items)));
    }
    let defaults = Options { float: written.float(), sizes: sources.sizes(), ..defaults };
    let sources = &sources.with_known(&mut written);
    let visible: Vec<Item> = sources.items().into_iter().chain(linked.iter().cloned()).collect();
    let context = Module::read(&visible);
    let (mut methods, taken) = (Methods::new(&visible, None), Taken::read(items));
    let mut modules: Vec<Ident> = Vec::new();
    let mut seen = HashSet::new();
    let (mut found, mut rules, mut typed) = (false, Vec::new(), Vec::new());
    let (mut unasked, mut skipped) = (Vec::new(), None);
    for (at, (item, linked)) in items.iter_mut().zip(&linked).enumerate() {
        let own = match (&mut *item, linked) {
            (Item::Fn(function), Item::Fn(linked)) => {
                let linked = own_attribute(&mut linked.attrs.clone()).map(|attr| Options::read(attr).0);
                let own = own_attribute(&mut function.attrs).map(Options::read);
                own.map(|(options, errors)| {
                    // what stands in the function has the names that the context knows
                    let Options { with_functions, with_types, .. } = linked.unwrap_or_default();
                    (Options { with_functions, with_types, ..options }, errors)
                })
            }
            (Item::Impl(item), Item::Impl(linked)) => {
                methods.take(&context, linked, item, &mut refusals);
                None
            }
            _ => None,
        };
        if let Some((options, _)) = &own {
            refusals.extend(options.links().map(of_the_module));
        }
        if let Some((Options { custom: Some(rule), .. }, _)) = &own {
            let with_types = match item {
                Item::Fn(function) => frontend::types_of_rule(function, rule),
                _ => Vec::new(),
            };
            if with_types.is_empty() {
                rules.extend(rule.functions());
            }
            typed.extend(with_types);
        }
        // the rule of a function is read where that is called
        let is_asked = own.as_ref().is_some_and(|(options, _)| options.custom.is_none());
        let (primal, target) = match (&mut *item, linked) {
            (Item::Fn(function), Item::Fn(linked))
                if is_asked || !defaults.only_exports && is_wanted(&context, linked) =>
            {
                if !is_asked && is_generic(function) && !features.num_traits {
                    skipped.get_or_insert(function.sig.ident.clone());
                    frontend::strip_item(item);
                    continue;
                }
                let target = ItemFn { attrs: function.attrs.clone(), ..linked.clone() };
                (stripped(function), target)
            }
            (other, _) => {
                refusals.extend(own.into_iter().flat_map(|(_, errors)| errors));
                refuse_provided(other, &mut refusals);
                frontend::strip_item(other);
                continue;
            }
        };
        let (options, errors) = own.unwrap_or_default();
        modules.push(options.module.as_ref().unwrap_or(&target.sig.ident).clone());
        let (options, is_helper) = (options.with_defaults(&defaults), is_helper(&target));
        let (mut tokens, mut errors) = differentiated(&options, errors, &context, &target.clone().into());
        if let Some(first) = errors.first().filter(|_| is_helper && !is_asked) {
            // it may be meant for the others alone
            let signature = super::stub_signature(&options, &context, &target.into());
            tokens = rust::refused(&signature, options.asked, first);
            unasked.append(&mut errors);
        } else {
            found = true;
        }
        let errors = first_seen(&mut seen, errors);
        let generated = emitted(&written, beside(&tokens, &errors), sources, &file, &mut refusals);
        // what a macro makes is there already
        let primal = (at < written_out).then_some(primal);
        *item = Item::Verbatim(quote!(#primal #generated));
    }
    for made in items.iter_mut().skip(written_out).filter(|item| !matches!(item, Item::Verbatim(_))) {
        *made = Item::Verbatim(TokenStream::new());
    }
    let of_methods = methods.expand(&context, &defaults, taken, &modules);
    let mut errors = of_methods.refusals;
    if !found && !of_methods.found && skipped.is_none() {
        errors.append(&mut unasked);
        errors.extend(of_methods.unasked);
        found = !errors.is_empty();
    }
    found |= of_methods.found;
    let of_methods = beside(&of_methods.tokens, &first_seen(&mut seen, errors));
    items.push(Item::Verbatim(emitted(&written, of_methods, sources, &file, &mut refusals)));
    if let Some(unit) = &unit {
        written.extend(unit.written.clone());
    }
    items.push(Item::Verbatim(written.proofs()));
    items.push(Item::Verbatim(bindings));
    // generated code holds what a rule says, and does not call it
    items.push(Item::Verbatim(quote!(#(const _: () = { let _ = #rules; };)*)));
    // where a rule has another type, the error stands at its name in the attribute
    let typed = typed.iter().map(|(rule, ty)| quote!(const _: #ty = #rule;));
    items.push(Item::Verbatim(quote!(#(#typed)*)));
    if !found && unit.is_none() {
        refusals.push(skipped.map_or_else(|| nothing_in_it(&item), |name| has_parameters(&name)));
    }
    let module = beside(&item.to_token_stream(), &refusals);
    match &unit {
        Some(unit) => link::carried(&item.ident, &item.vis, &seen_from_inside(&item.vis), unit, module),
        None => module,
    }
}

/// What is generated, with the names that are seen in the module.
fn emitted(
    written: &Written,
    tokens: TokenStream,
    sources: &Sources,
    file: &str,
    refusals: &mut Vec<Refusal>,
) -> TokenStream {
    if sources.is_empty() {
        return tokens;
    }
    let (tokens, more) = written.emitted(tokens, sources, file);
    refusals.extend(more);
    tokens
}

/// The modules and items that a function of the module names.
fn of_the_module(name: Ident) -> Refusal {
    Refusal::new(
        name.span(),
        format!("`{name}` on an item of a differentiated module"),
        "a module exports and uses as a whole",
        format!("write `{name}` in the attribute of the module"),
    )
}

/// What was not refused before: a helper of several functions is refused once.
fn first_seen(seen: &mut HashSet<(String, String)>, refusals: Vec<Refusal>) -> Vec<Refusal> {
    let key = |refusal: &Refusal| (format!("{:?}", refusal.span), refusal.what.clone());
    refusals.into_iter().filter(|refusal| seen.insert(key(refusal))).collect()
}

/// Refuses the attribute on functions of traits.
fn refuse_provided(item: &mut Item, refusals: &mut Vec<Refusal>) {
    let Item::Trait(item) = item else { return };
    for part in &mut item.items {
        let TraitItem::Fn(function) = part else { continue };
        if own_attribute(&mut function.attrs).is_some() {
            let name = &function.sig.ident;
            refusals.push(Refusal::new(
                name.span(),
                format!("the attribute on the function `{name}` of a trait"),
                "it has a gradient for each type",
                format!(
                    "remove the attribute: each `impl {} for` a type that is visible outside gets one",
                    item.ident
                ),
            ));
        }
    }
}

/// Whether a function has a gradient that somebody outside could ask for: floats come in, floats go out.
pub(super) fn is_wanted(module: &Module, function: &ItemFn) -> bool {
    !matches!(function.vis, Visibility::Inherited) && has_gradient(module, function)
}

/// Whether floats come in and floats go out.
pub(super) fn has_gradient(module: &Module, function: &ItemFn) -> bool {
    let sig = module.prepared(function.clone()).sig;
    let holds_floats =
        |ty: &Type| module.holds_floats(ty) || frontend::holds_number_behind(&sig.generics, ty);
    let types = || {
        sig.inputs.iter().filter_map(|arg| if let FnArg::Typed(arg) = arg { Some(&*arg.ty) } else { None })
    };
    let mutable = |ty: &Type| match ty {
        Type::Reference(reference) => reference.mutability.is_some(),
        ty if frontend::writes_through(module, ty) => true,
        ty => matches!(ndarray::written(ty), Some(Ok(array)) if array.form == Form::ViewMut),
    };
    // an error has no derivative
    let value = |ty: &Type| frontend::value_and_error(ty).map_or_else(|| ty.clone(), |(value, _)| value);
    let returned = matches!(&sig.output, ReturnType::Type(_, ty) if holds_floats(&value(ty)));
    types().any(holds_floats) && (returned || types().any(|ty| mutable(ty) && holds_floats(ty)))
}

/// Whether a function has type parameters.
fn is_generic(function: &ItemFn) -> bool {
    frontend::has_type_parameters(function)
}

/// Whether a visible function may be meant for the others alone: it has type parameters, takes functions or iterators,
/// or returns a part of what it was given.
fn is_helper(function: &ItemFn) -> bool {
    let lends = |ty: &Type| matches!(ty, Type::Reference(of) if of.mutability.is_none());
    is_generic(function)
        || frontend::takes_or_returns_functions(function)
        || matches!(&function.sig.output, ReturnType::Type(_, ty) if lends(ty))
}

fn in_another_file(item: &ItemMod) -> Refusal {
    Refusal::new(
        item.ident.span(),
        "`#[differentiate]` on a module in another file",
        "an attribute sees only what stands behind it",
        "put the functions in an inline module: `#[differentiate] mod kernels { … }`",
    )
}

fn has_parameters(name: &Ident) -> Refusal {
    Refusal::new(
        name.span(),
        format!("nothing else in this module has a gradient, and `{name}` has type parameters"),
        "a function with type parameters may be meant for the others alone: it has derivatives where it is asked for, or the feature `num-traits` of pardiff is on",
        format!("write `#[differentiate]` before `{name}`"),
    )
}

fn nothing_in_it(item: &ItemMod) -> Refusal {
    Refusal::new(
        item.ident.span(),
        format!("nothing in the module `{}` has a gradient", item.ident),
        "the attribute differentiates the functions and methods that are visible outside, take floats and return or write floats",
        "write `pub` before the function",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(module: &str) -> String {
        let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
        let module = syn::parse_str(module).expect("a module");
        expand(Features::default(), tokens(""), module, &Sources::default()).to_string()
    }

    const KERNEL: &str = "mod m {
        pub struct Atom { pub x: f64, pub hits: usize }
        fn square(x: f64) -> f64 { x * x }
        pub fn sum(atoms: &[Atom]) -> f64 {
            let mut total = 0.0;
            for i in 0..atoms.len() { total += square(atoms[i].x); }
            total
        }
        pub fn scale(atoms: &mut [Atom], by: f64) {
            for i in 0..atoms.len() { atoms[i].x *= by; atoms[i].hits += 1; }
        }
        pub fn count(n: usize) -> usize { n }
        fn private(x: f64) -> f64 { x }
    }";

    #[test]
    fn visible_functions_with_floats_have_gradients() {
        let text = expanded(KERNEL);
        assert!(!text.contains("compile_error"), "{text}");
        for (name, has) in [("sum", true), ("scale", true), ("count", false), ("private", false)] {
            assert_eq!(text.contains(&format!("mod {name} {{")), has, "{name}");
        }
    }

    #[test]
    fn structs_are_read_by_lanes_and_written_through_one_pointer() {
        let text = expanded(KERNEL);
        assert!(text.contains("access :: members"), "{text}");
        // the adjoint of what is only read is written, the primal is a slice
        assert!(text.contains(": & [Atom]"), "{text}");
        assert!(text.contains("Disjoint :: records (& mut d_atoms [..])"), "{text}");
        assert!(!text.contains("offset_of") && !text.contains("transmute"), "{text}");
    }

    #[test]
    fn tasks_take_structs_in_arrays_of_generic_length() {
        let text = expanded(
            "mod m {
                pub struct Atom { pub x: f64 }
                pub fn sum<const N: usize>(rows: &[[Atom; N]]) -> f64 {
                    let mut total = 0.0;
                    for i in 0..rows.len() { for j in 0..N { total += rows[i][j].x * rows[i][j].x; } }
                    total
                }
            }",
        );
        assert!(!text.contains("compile_error"), "{text}");
        assert!(text.contains("value_task_0_avx2 :: < N >"), "{text}");
    }

    const RULE: &str = "mod m {
        #[differentiate(custom(partials = slope))]
        fn table(x: f64) -> f64 { lookup(x) }
        fn slope(x: f64) -> f64 { x.cos() }
        pub fn sum(x: &[f64]) -> f64 {
            let mut total = 0.0;
            for i in 0..x.len() { total += table(x[i]); }
            total
        }
    }";

    #[test]
    fn functions_with_rules_are_called_and_rules_are_not() {
        let text = expanded(RULE);
        assert!(!text.contains("compile_error"), "{text}");
        assert!(!text.contains("custom") && !text.contains("mod table"), "{text}");
        let (_, generated) = text.split_once("mod sum").expect("the module of derivatives");
        assert!(generated.contains("table (") && !generated.contains("slope ("), "{text}");
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn kernels_call_no_function_of_the_user() {
        let module = syn::parse_str(RULE).expect("a module");
        let text = expand(Features::default(), "cuda".parse().expect("tokens"), module, &Sources::default())
            .to_string();
        assert!(text.contains("a call of `table`, which has a rule, with `cuda`"), "{text}");
    }

    #[test]
    fn generic_functions_are_asked_for_where_the_feature_is_off() {
        let text = |features, module: &str| {
            expand(
                features,
                TokenStream::new(),
                syn::parse_str(module).expect("a module"),
                &Sources::default(),
            )
            .to_string()
        };
        let off = Features { num_traits: false, ..Features::default() };
        let generic = "pub fn square<T: Copy + std::ops::Mul<Output = T>>(x: T) -> T { x * x }";
        // as before there was a feature
        let both = format!("mod m {{ {generic} pub fn f(x: f64) -> f64 {{ square(x) }} }}");
        assert!(!text(off, &both).contains("mod square"));
        assert!(text(Features::default(), &both).contains("mod square_of_f32"));
        let alone = text(off, &format!("mod m {{ {generic} }}"));
        assert!(
            alone.contains("nothing else in this module has a gradient, and `square` has type parameters")
        );
        let asked = text(off, &format!("mod m {{ #[differentiate] {generic} }}"));
        assert!(!asked.contains("compile_error") && asked.contains("mod square_of_f64"), "{asked}");
        // what is refused and not asked for is told to who calls it
        let refused = text(
            Features::default(),
            "mod m { pub fn f(x: f64) -> f64 { x } pub fn g<T: Unseen>(x: T) -> T { x } }",
        );
        assert!(!refused.contains("compile_error") && refused.contains("`g` has no gradient"), "{refused}");
    }

    #[test]
    fn a_refused_function_leaves_the_others() {
        let text = expanded(
            "mod m {
                pub fn bad(x: f64) -> f64 { x.unknown() }
                pub fn good(x: f64) -> f64 { x * x }
            }",
        );
        assert_eq!(text.matches("compile_error").count(), 1, "{text}");
        assert!(text.contains("mod bad {") && text.contains("mod good {"), "{text}");
    }
}
