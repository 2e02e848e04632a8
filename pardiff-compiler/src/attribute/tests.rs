//! The attribute by itself, and in modules.

use super::*;
use syn::{File, Visibility};

fn expanded(attr: &str, item: &str) -> File {
    let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
    let out = expand(tokens(attr), tokens(item));
    syn::parse2(out.clone()).unwrap_or_else(|error| panic!("{error} in {out}"))
}

/// The texts of the compile errors.
fn errors(file: &File) -> Vec<String> {
    let text = |item: &Item| match item {
        Item::Macro(item) if item.mac.path.segments.last()?.ident == "compile_error" => {
            Some(item.mac.tokens.to_string())
        }
        _ => None,
    };
    file.items.iter().filter_map(text).collect()
}

/// The functions of the generated module, with the numbers of their arguments.
fn module(file: &File) -> Vec<(String, usize)> {
    let module = file.items.iter().find_map(|item| match item {
        Item::Mod(module) => module.content.as_ref(),
        _ => None,
    });
    let functions = module.iter().flat_map(|(_, items)| items).filter_map(|item| match item {
        Item::Fn(item) => {
            assert!(matches!(item.vis, Visibility::Public(_)));
            Some((item.sig.ident.to_string(), item.sig.inputs.len()))
        }
        _ => None,
    });
    functions.collect()
}

fn counts(list: &[(&str, usize)]) -> Vec<(String, usize)> {
    list.iter().map(|(name, count)| (name.to_string(), *count)).collect()
}

#[test]
fn names_of_patterns_are_tried_beside_a_gradient_alone() {
    let item = |receiver: &str, more: &str| {
        format!(
            "fn f({receiver}x: &[f64], k: usize) -> f64 {{ {more} match k {{ m if m > 1 => x[0], n => x[n] }} }}"
        )
    };
    let tried = |file: &File| {
        let text = quote!(#file).to_string();
        text.contains("let m = loop { } ; let n = loop { } ;")
    };
    assert!(tried(&expanded("", &item("", ""))));
    // a method, and a function that is refused
    for item in [item("&self, ", ""), item("", "let s = c\"text\";")] {
        let file = expanded("", &item);
        assert!(!errors(&file).is_empty() && !tried(&file));
    }
    let without = expanded("", "fn g(x: &[f64]) -> f64 { let y = x[0]; y }");
    assert!(!quote!(#without).to_string().contains("= loop"));
}

#[test]
fn a_refused_function_comes_back_with_its_errors_and_a_stub() {
    let file = expanded("wrt(x)", "fn f(x: &[f64], k: f64, n: usize) -> f64 { while k < 1.0 {} loop {} }");
    assert!(matches!(&file.items[0], Item::Fn(item) if item.sig.ident == "f"));
    assert!(!errors(&file).is_empty());
    let functions =
        [("grad", 4), ("grad_into", 4), ("gradient", 3), ("vjp", 5), ("vjp_into", 5), ("value", 3)];
    assert_eq!(module(&file), counts(&functions));
}

#[test]
fn a_stub_takes_types_that_it_does_not_know_for_floats() {
    let file = expanded("", "fn f(x: &[Real], k: usize) -> Real { x[k] }");
    assert!(!errors(&file).is_empty());
    let functions =
        [("grad", 3), ("grad_into", 3), ("gradient", 2), ("vjp", 4), ("vjp_into", 4), ("value", 2)];
    assert_eq!(module(&file), counts(&functions));
    let file = expanded("", "fn f<T: Unseen>(x: T) -> T { x }");
    assert!(errors(&file)[0].contains("behind the trait `Unseen`"), "{:?}", errors(&file));
    let functions = [("grad", 2), ("grad_into", 2), ("vjp", 3), ("vjp_into", 3), ("value", 1)];
    assert_eq!(module(&file), counts(&functions));
}

#[test]
fn a_generic_function_has_a_module_for_each_type_and_one_for_all() {
    let file = expanded("", "pub fn f<T: Float>(x: &[T]) -> T { x[0] * T::from(2).unwrap() }");
    assert!(errors(&file).is_empty(), "{:?}", errors(&file));
    let names = |file: &File| -> Vec<String> {
        let name = |item: &Item| match item {
            Item::Mod(item) => Some(item.ident.to_string()),
            _ => None,
        };
        file.items.iter().filter_map(name).collect()
    };
    assert_eq!(names(&file), ["f"]);
    let text = quote!(#file).to_string();
    for of in ["f_of_f64", "f_of_f32"] {
        assert!(text.contains(&format!("pub mod {of}")) && text.contains(&format!("pub use f :: {of} ;")));
    }
    let functions =
        [("grad", 2), ("grad_into", 2), ("gradient", 1), ("vjp", 3), ("vjp_into", 3), ("value", 1)];
    let sorted = |mut list: Vec<(String, usize)>| {
        list.sort();
        list
    };
    assert_eq!(sorted(module(&file)), sorted(counts(&functions)));
    // one type alone has the name of the function
    let file = expanded("with(T = f32)", "pub fn f<T: Float>(x: &[T]) -> T { x[0] }");
    assert_eq!(names(&file), ["f"]);
    assert!(quote!(#file).to_string().contains("pub fn gradient (x : & [f32]) -> (f32 , Gradient)"));
    let file = expanded("", "fn f<T: Add<Output = T> + Copy + From<f64>>(x: T) -> T { x + x }");
    assert_eq!(names(&file), ["f"]);
    assert!(errors(&file).is_empty() && quote!(#file).to_string().contains("f :: < f64 >"));
}

#[test]
fn traits_of_num_traits_need_the_feature() {
    let off = Features { num_traits: false, ..Features::default() };
    let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
    let text = |item| expand_with(off, TokenStream::new(), tokens(item)).to_string();
    assert!(text("fn f<T: Float>(x: T) -> T { x }").contains("features = [\\\"num-traits\\\"]"));
    assert!(!text("fn f<T: Copy>(x: T) -> T { x }").contains("compile_error"));
}

#[test]
fn types_of_known_crates_need_their_features() {
    let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
    let text = |features, item: &str| expand_with(features, tokens(""), tokens(item)).to_string();
    let function = "pub fn f(v: &[glam::DVec3], z: Complex<f64>) -> f64 { v[0].dot(v[1]) + z.norm() }";
    let on = text(Features::default(), function);
    assert!(!on.contains("compile_error"), "{on}");
    // the types are proved to be those of the crates, and are named through the runtime
    assert!(
        on.contains("is_known :: < glam :: DVec3 , :: pardiff :: runtime :: known :: glam :: DVec3 >"),
        "{on}"
    );
    assert!(on.contains("d_v : & mut [:: pardiff :: runtime :: known :: glam :: DVec3]"), "{on}");
    assert!(!on.contains("__pd"), "{on}");
    let off = Features { glam: false, ..Features::default() };
    assert!(text(off, function).contains("features = [\\\"glam\\\"]"));
    // a type of the module comes first
    let own = "mod m { pub struct DVec3 { pub x: f64 } pub fn f(v: &[DVec3]) -> f64 { v[0].x * v[0].x } }";
    let own = text(Features::default(), own);
    assert!(!own.contains("compile_error") && !own.contains("known"), "{own}");
}

#[test]
fn sizes_of_types_of_known_crates_are_said_by_with() {
    let length = "fn f<const N: usize>(x: &SVector<f64, N>) -> f64 { x.norm() }";
    let message = |attr: &str, item: &str| errors(&expanded(attr, item)).concat();
    assert!(message("", length).contains("#[differentiate(with(N = 3))]"));
    assert!(message("with(N = 9)", length).contains("sizes up to 6"));
    assert_eq!(message("with(N = 6)", length), "");
    let of_type =
        "fn f<D: DimName>(x: &OVector<f64, D>) -> f64 where DefaultAllocator: Allocator<D> { x.norm() }";
    assert!(message("", of_type).contains("with(D = nalgebra::U3)"));
    assert_eq!(message("with(D = U3)", of_type), "");
    let number = "fn f<T: Copy>(x: &[T]) -> T { x[0] }";
    assert!(message("with(T = 3)", number).contains("`T` in `with` is not a const parameter"));
    let module = "mod m {
        #[differentiate(with(N = 2))] pub fn f<const N: usize>(x: &SVector<f64, N>) -> f64 { x.norm() }
        #[differentiate(with(N = 3))] pub fn g<const N: usize>(x: &SVector<f64, N>) -> f64 { x.norm() }
    }";
    let file = expanded("", module);
    assert!(quote!(#file).to_string().contains("stands for several sizes in this item"));
}

#[test]
fn a_type_in_with_that_is_no_number_is_refused() {
    let file = expanded("with(B = Bezier, T = f64)", "fn f<B: Basis<T>, T: Float>(x: T) -> T { x * x }");
    assert!(!errors(&file).is_empty());
}

#[test]
fn bounds_are_proved_where_traits_of_numbers_are_taken_for_those_of_num_traits() {
    let proofs = |item: &str| {
        let file = expanded("with(T = f64)", item);
        assert!(errors(&file).is_empty(), "{:?}", errors(&file));
        quote!(#file).to_string().matches("runtime :: bounds ::").count()
    };
    assert_eq!(proofs("fn f<T: Float + FloatConst>(x: T) -> T { x * T::PI() }"), 2);
    assert_eq!(proofs("fn f<T: Copy + Mul<Output = T>>(x: T) -> T { x * x }"), 0);
    assert_eq!(
        proofs("fn f<T: Float>(x: T) -> T { fn g<U: Float + Zero>(x: U) -> U { x * x } g(x) + g(x) }"),
        2
    );
}

#[test]
fn names_that_are_taken_for_integers_of_mpi_are_proved() {
    let proofs = |item: &str| {
        let file = expanded("", item);
        assert!(errors(&file).is_empty(), "{:?}", errors(&file));
        quote!(#file).to_string().matches(": fn (Rank) -> i32 = | of | of").count()
    };
    let item =
        "fn f(world: &impl Communicator, x: f64) -> f64 { let rank: Rank = world.rank(); x * rank as f64 }";
    assert_eq!(proofs(item), 1);
    assert_eq!(proofs("fn f(world: &impl Communicator, x: f64) -> f64 { x * world.rank() as f64 }"), 0);
    let file = expanded("", "fn f(x: f64) -> f64 { let rank: Rank = 1; x * rank as f64 }");
    assert!(errors(&file)[0].contains("the type `Rank`"), "{:?}", errors(&file));
    let module =
        "mod m { use mpi::Rank; fn g(n: Rank) -> f64 { n as f64 } pub fn f(x: f64) -> f64 { x * g(2) } }";
    assert_eq!(proofs(module), 1);
}

#[test]
fn a_refused_parameter_in_wrt_is_one_error() {
    let file = expanded("wrt(x)", "fn f(x: &[Real], k: usize) -> f64 { x[k] }");
    assert_eq!(errors(&file).len(), 1, "{:?}", errors(&file));
}

#[test]
fn a_check_calls_no_function_of_some_machines() {
    let item = "#[target_feature(enable = \"avx2\")] fn f(x: f64) -> f64 { x * x }";
    assert!(errors(&expanded("", item)).is_empty());
    let file = expanded("check", item);
    assert!(errors(&file)[0].contains("which not every machine can run"), "{:?}", errors(&file));
    assert!(module(&file).contains(&("check".to_owned(), 1)));
}

#[test]
fn marks_are_removed_from_a_function_that_is_refused_for_its_options() {
    let file =
        expanded("no_such_option", "fn f(x: &mut [f64]) { #[parallel] for i in 0..x.len() { x[i] = 1.0; } }");
    assert_eq!(errors(&file).len(), 1);
    let primal = quote::ToTokens::to_token_stream(&file.items[0]).to_string();
    assert!(!primal.contains("parallel"), "{primal}");
    assert_eq!(module(&file), counts(&[("vjp", 2), ("vjp_into", 2), ("value", 1)]));
}

#[test]
fn an_item_that_is_no_function_comes_back_unchanged() {
    for (item, what) in [
        ("mod kernels;", "in another file"),
        ("struct S { x: f64 }", "neither a function nor a module"),
        ("impl S { fn f(x: f64) -> f64 { x } }", "on an `impl`"),
    ] {
        let file = expanded("", item);
        let back = quote::ToTokens::to_token_stream(&file.items[0]).to_string();
        assert_eq!(back, item.parse::<TokenStream>().expect("tokens").to_string());
        assert!(errors(&file)[0].contains(what), "{:?}", errors(&file));
    }
}

#[test]
fn a_method_is_refused_without_a_module_that_its_impl_could_not_hold() {
    let out = expand(
        TokenStream::new(),
        quote!(
            fn f(&self, x: f64) -> f64 {
                x
            }
        ),
    );
    assert!(!out.to_string().contains("mod f"));
    assert!(out.to_string().contains("compile_error"));
}

#[test]
fn names_with_capitals_are_bound_where_patterns_cannot_fail() {
    let refused =
        |body: &str| errors(&expanded("", &format!("fn f(x: &[f64]) -> Option<f64> {{ {body} }}"))).len();
    assert_eq!(refused("let R = x.first()?; Some(R * R)"), 0);
    assert_eq!(refused("let R = x.first().copied()?; let (A, B) = (R, 2.0 * R); Some(A * B)"), 0);
    assert_eq!(refused("let Some(R) = x.first() else { return None }; Some(R * R)"), 1);
    assert_eq!(refused("if let Some(R) = x.first() { Some(R * R) } else { None }"), 1);
    assert_eq!(refused("let [A, b] = x else { return None }; Some(A * b)"), 1);
}

#[test]
fn clippy_sees_the_portable_version_alone() {
    let source = "fn f(x: &[f64]) -> f64 { x.iter().map(|x| x.sin() * x.exp()).sum() }";
    let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
    let whole = expand(TokenStream::new(), tokens(source)).to_string();
    let attributes = |of: &str| {
        let (before, _) = whole.split_once(of).unwrap_or_else(|| panic!("no `{of}` in {whole}"));
        before.rsplit_once('}').map_or(before, |(_, attributes)| attributes).to_owned()
    };
    assert!(attributes("fn accumulate_portable").contains("not (miri)) , clippy))]"));
    for version in ["", "_avx2", "_avx512"] {
        let of_task = attributes(&format!("fn accumulate_task_0{version} "));
        assert!(of_task.contains("# [cfg (not (clippy))]"), "{of_task}");
        assert_eq!(of_task.contains("not (debug_assertions)"), version == "_avx512", "{of_task}");
    }
    let linted = "# [cfg (clippy)] fn accumulate (overwrite : bool , x : & [f64] , d_x : & mut [f64] , seed : f64) \
                  -> f64 { Self :: accumulate_portable (overwrite , x , d_x , seed) } # [cfg (not (clippy))] fn accumulate (";
    assert!(whole.contains(linted), "{whole}");
}

#[test]
fn adjoints_are_cleared_by_tasks_where_there_are_some() {
    let source = "fn f(x: &[f64], at: &[usize]) -> f64 {
        let mut sum = 0.0;
        for i in 0..at.len() {
            sum += x[at[i]] * x[at[i]];
        }
        sum
    }";
    let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
    let code = |options| expand(tokens(options), tokens(source)).to_string();
    let (by_tasks, alone) = ("runtime :: fill (d_x , 0.0", "d_x . fill (0.0");
    // the version for machines without vectors runs in order as well
    let whole = code("");
    let (_, whole) = whole.split_once("fn accumulate_portable").expect("a portable version");
    let (portable, scheduled) = whole.split_once("fn accumulate (").expect("the scheduled version");
    assert!(scheduled.contains(by_tasks) && !scheduled.contains(alone), "{scheduled}");
    assert!(portable.contains(alone) && !portable.contains(by_tasks), "{portable}");
    let in_order = code("sequential");
    assert!(in_order.contains(alone) && !in_order.contains(by_tasks), "{in_order}");
    assert!(!in_order.contains("_portable"), "{in_order}");
}
