//! What is refused: where the message points, and what it says.

use super::refused;
use pardiff_compiler::frontend::{Options, lower};

refused! {
    parallel_iterator: "fn f(x: &mut [f64]) { x.par_iter_mut(); }"
        => ["par_iter_mut", "an iterator as a value"]
    for_over_number: "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for v in x[0] { s += v; } s }"
        => ["x[0]", "an iteration over a value of type `f64`"]
    open_range: "fn f(x: &[f64]) -> f64 { for i in 0.. {} x[0] }"
        => ["for", "an iteration without an end"]
    constant_out_of_its_scope: "fn f(x: f64) -> f64 { let y = { const A: f64 = g(); x * A }; y * A }"
        => ["A", "two constants called `A`"]
    closure: "fn f(x: f64) -> f64 { let g = (|a: f64| a * a, x); let h = x; h(x) + g.1 }"
        => ["h", "a call of a variable"]
    closure_with_old_copy: "fn f(x: f64) -> f64 { let mut a = x; let g = move |t: f64| a * t; a = 2.0; g(x) }"
        => ["a", "a `move` closure with a copy of `a`, which may change"]
    closure_of_two: "fn f(x: f64) -> f64 { let g = |a: f64, b: f64| a * b; g(x) }"
        => ["g(x)", "a call of a closure with 1 arguments"]
    function_chosen: "fn f(x: f64) -> f64 { fn twice(g: impl Fn(f64) -> f64, x: f64) -> f64 { g(g(x)) } twice(if x > 0.0 { f64::sin } else { f64::cos }, x) }"
        => ["if x > 0.0 { f64::sin } else { f64::cos }", "as a function"]
    chosen_slice: "fn f(x: &[f64]) -> f64 { x.chunks(2).max_by(|a, b| a[0].total_cmp(&b[0])).unwrap()[0] }"
        => ["x.chunks(2).max_by(|a, b| a[0].total_cmp(&b[0]))", "one of several items of type `&[f64]`"]
    greatest_float: "fn f(x: &[f64]) -> f64 { *x.iter().max_by_key(|v| **v).unwrap() }"
        => ["x.iter().max_by_key(|v| **v)", "an order of values of type `f64`"]
    unknown_function: "fn f(x: f64) -> f64 { helper(x) + crate::m::g(x) }"
        => ["helper(x)", "a call of `helper`, which is not in the body"] ["crate::m::g(x)", "a call of `crate::m::g`"]
    unknown_method: "fn f(x: f64) -> f64 { x.erf() }"
        => ["erf", "the method `erf` on a value of type `f64`"]
    into_a_tuple: "fn f(x: f64) -> f64 { let y: (f64, f64) = [x, x].into(); y.0 }"
        => ["into", "the method `into`"]
    into_an_option: "fn f(x: f64) -> f64 { let y: Option<f64> = x.into(); y.unwrap_or(0.0) }"
        => ["x.into()", "a conversion to an `Option`"]
    into_what_is_not_known: "fn f(x: f64, k: i32) -> f64 { let y = k.into(); x }"
        => ["k.into()", "a conversion"]
    struct_literal: "fn f(x: f64) -> f64 { let p = Point { x, y: 1.0 }; p.x }"
        => ["Point { x, y: 1.0 }", "a value of the struct `Point`"]
    field: "fn f(p: &Params, x: f64) -> f64 { p.scale * x }"
        => ["Params", "the type `Params`"]
    self_parameter: "fn f(&self, x: f64) -> f64 { self.scale * x }"
        => ["&self", "the method of an `impl`"]
    type_parameter: "fn f<T: Float>(x: &[T]) -> T { x[0] }"
        => ["T: Float", "the type parameter `T`"] ["T", "the type `T`"]
    alias: "fn f(x: &[Real]) -> f64 { x[0] }"
        => ["Real", "the type `Real`"]
    vector_parameter: "fn f(x: Vec<Option<&[f64]>>, y: &mut Box<[f64]>) { y[0] = 1.0; }"
        => ["Vec<Option<&[f64]>>", "`x` is a vector of these"] ["&mut Box<[f64]>", "`y` is a reference to a vector or a box"]
    option: "fn f(x: Option<Vec<&[f64]>>) -> f64 { 0.0 }"
        => ["Option<Vec<&[f64]>>", "`x` is an `Option` of these"]
    nothing_active: "fn f(n: usize) -> f64 { n as f64 }"
        => ["f", "there is nothing to differentiate"]
    no_output: "fn f(x: &[f64]) -> usize { x.len() }"
        => ["f", "there is nothing to differentiate"]
    cfg_inside: "fn f(x: f64) -> f64 { #[cfg(debug_assertions)] let y = 1.0; x }"
        => ["#[cfg(debug_assertions)]", "`#[cfg]` inside the function"]
    unsafe_block: "fn f(x: &[f64]) -> f64 { unsafe { *x.as_ptr() } }"
        => ["unsafe", "an `unsafe` block"]
    unsafe_function: "unsafe fn f(x: &[f64]) -> f64 { x[0] }"
        => ["unsafe", "an `unsafe` function"]
    async_function: "async fn f(x: f64) -> f64 { x }"
        => ["async", "an `async` function"]
    slice_pattern_of_values: "fn f(x: &[f64], n: usize) -> f64 { if let [0.0, a] = x { *a } else { 0.0 } }"
        => ["0.0", "this pattern"]
    slice_pattern_inside: "fn f(x: &[f64], n: usize) -> f64 { match ((x, n), n) { (([a], 0), 1) => *a, _ => 0.0 } }"
        => ["[a]", "a pattern of a slice inside of another pattern"]
    returned_iterator_as_a_value: "fn f(x: &[f64]) -> f64 { fn g(x: &[f64]) -> impl Iterator<Item = &f64> { x.iter() } let it = g(x); it.sum() }"
        => ["g(x)", "an iterator that a helper returns, as a value"]
    iterator_returned_early: "fn f(x: &[f64]) -> f64 { fn g(x: &[f64]) -> impl Iterator<Item = &f64> { if x.len() > 2 { return x[1..].iter(); } x.iter() } g(x).sum() }"
        => ["g(x)", "an iterator that is returned from more than one place"]
    rebound_references: "fn f(x: &[f64]) -> f64 { let y = x.to_vec(); let mut r = (&y[..], 0.0); r = (&x[1..], 1.0); r.0[0] }"
        => ["r", "a reference that is assigned again"]
    range_bound_twice: "fn f(x: &[f64]) -> f64 { let r = 0..2; if x[0] > 0.0 { let r = 1.0; } x[0] }"
        => ["0..2", "a range as a value"]
    let_else: "fn f(x: &[f64]) -> f64 { let Some(v) = x.as_rchunks() else { return 0.0 }; v }"
        => ["as_rchunks", "the method `as_rchunks`"]
    let_else_that_goes_on: "fn f(x: f64, n: usize) -> f64 { let 3 = n else { }; x }"
        => ["{ }", "an `else` of a `let` that goes on"]
    question_mark: "fn f(x: f64) -> f64 { g()? + x }"
        => ["g()", "a call of `g`, which is not in the body"]
    macro_call: "fn f(x: f64) -> f64 { println!(\"{}\", { g(x) }); my_macro!(x) }"
        => ["println!(\"{}\", { g(x) })", "`println!` of what may change a variable"] ["my_macro!(x)", "the macro `my_macro!`"]
    string: "fn f(x: f64) -> f64 { let s = c\"a\"; x }"
        => ["c\"a\"", "a text of C"]
    constant_of_unknown_type: "fn f(x: f64) -> f64 { let s = SCALE; x }"
        => ["SCALE", "the type of `SCALE` is not known"]
    wrapping_constant: "fn f(x: f64) -> f64 { let s = SEED.wrapping_mul(3); if s > 5 { x } else { -x } }"
        => ["SEED", "the type of `SEED` is not known"]
    unknown_local: "fn f(x: f64) -> f64 { let a; x }"
        => ["a", "the type of `a` is not known"]
    rebound_reference: "fn f(x: &[f64]) -> f64 { let y = [1.0]; let mut r = &x[0..1]; r = &y[..]; r[0] }"
        => ["r", "a reference that is assigned again"]
    recursion: "fn f(x: f64) -> f64 { fn g(a: f64) -> f64 { if a > 1.0 { g(a * 0.5) + g(a * 0.3) } else { a } } g(x) }"
        => ["g(a * 0.5)", "the helper `g` calls itself"] ["g(a * 0.3)", "the helper `g` calls itself"]
    generic_helper: "fn f(x: f64) -> f64 { fn g<T: Unseen>(a: T) -> T { a.twice() } g(x) }"
        => ["twice", "the method `twice`, which may be one of the trait `Unseen`"]
    hidden_method: "fn f(x: f64) -> f64 { fn g<T: Zero + Copy>(a: T) -> T { a.sin() } g(x) }"
        => ["sin", "the method `sin` in a function with type parameters"]
    jump_behind_a_part: "fn f(x: &[f64]) -> f64 { fn g(x: &[f64], k: usize) -> f64 { x[k] } for i in 0..x.len() { return g(&x[i..], if i == 2 { continue } else { 0 }); } 0.0 }"
        => ["continue", "a jump inside of an expression"]
    rows_returned_early: "fn f(x: &[f64]) -> f64 { fn g(x: &[f64]) -> Vec<Vec<f64>> { if x.len() < 2 { return vec![]; } vec![x.to_vec()] } let v = g(x); v[0][0] }"
        => ["g(x)", "vectors of rows that come from more than one place"]
    binary_search: "fn f(x: &[f64], a: f64) -> f64 { let k = x.binary_search_by(|v| v.total_cmp(&a)); x[0] }"
        => ["binary_search_by", "the method `binary_search_by`"]
    option_of_place: "fn f(x: &mut [f64]) { fn g(x: &mut [f64]) -> Option<&mut [f64]> { if x.is_empty() { None } else { Some(&mut x[1..]) } } if let Some(v) = g(x) { v[0] = 1.0; } }"
        => ["Some(&mut x[1..])", "an `Option` of a `&mut` reference as a value"]
    option_method: "fn f(x: f64) -> f64 { let mut a = None; a.get_or_insert(x); a.unwrap() }"
        => ["get_or_insert", "the method `get_or_insert` of an `Option`"]
    computed_error: "fn f(x: f64) -> f64 { let a: Result<f64, f64> = Err({ x * 2.0 }); 1.0 }"
        => ["Err({ x * 2.0 })", "the value of an error that is computed"]
    error_in_guard: "fn f(x: f64, k: usize) -> f64 { let a: Result<f64, usize> = Err(3); match a { Err(k) if k == 3 => x, Err(_) => 1.0, Ok(v) => v } }"
        => ["Err(k)", "the value of an error"]
    error_by_name: "fn f(x: f64) -> f64 { let a: Result<f64, usize> = Err(3); match a { Err(EMPTY) => x, Err(_) => 1.0, Ok(v) => v } }"
        => ["Err(EMPTY)", "the value of an error"]
    alternatives_in_let: "fn f(x: &[f64], p: usize, q: usize) -> f64 { let ((k, 0) | (0, k)) = (p, q) else { return 0.0 }; x[k] }"
        => ["(p, q)", "alternatives that bind a name in different places, in a `let`"]
    types_meet: "fn f(x: f64, y: f32) -> f64 { x + y }"
        => ["x + y", "the types `f64` and `f32` meet here"]
    array_arithmetic: "fn f(x: [f64; 2], y: [f64; 2]) -> [f64; 2] { x + y }"
        => ["x", "an operator on a value of type `[f64]`"] ["y", "an operator on a value of type `[f64]`"]
    comparison_of_slices: "fn f(x: &[f64]) -> f64 { assert_eq!(x, x); x[0] }"
        => ["assert_eq!(x, x)", "a comparison of arrays, tuples or structs"]
    nested_growth: "fn f(x: f64) -> f64 { let mut v = Vec::new(); v.push(vec![vec![x]]); v[0][0][0] }"
        => ["Vec::new()", "a vector of vectors that grows"]
    array_of_tuples_with_slices: "fn f(x: &[f64]) -> f64 { let e = [(0, &x[..2]), (1, &x[2..])]; x[0] }"
        => ["e", "`e` is an array of `(i32, &[f64])`"]
    array_of_slices: "fn f(x: &[f64]) -> f64 { let rows = [&x[..2], &x[2..]]; rows[1][0] }"
        => ["rows", "`rows` is an array of `&[f64]`"]
    constant_rows_of_repeats: "fn f(x: f64) -> f64 { const W: [&[f64]; 2] = [&[0.5; 3], &[1.0]]; W[0][1] * x }"
        => ["W", "a constant array of slices whose rows are not written out"]
    array_of_unknown_length: "fn f(x: &[f64]) -> f64 { let a = std::array::from_fn(|i| x[i]); a[0] }"
        => ["std::array::from_fn(|i| x[i])", "an array whose length is not known"]
    push_to_parameter: "fn f(x: &mut [f64]) { x.push(1.0); }"
        => ["x.push(1.0)", "a change of the length of `x`"]
    jagged_row: "fn f(x: &[f64], n: usize) -> f64 { let mut a = vec![vec![0.0; n]; n]; a[0] = x.to_vec(); a[0][0] }"
        => ["a[0]", "an array assigned from one of another length"]
    jagged_swap: "fn f(x: f64, n: usize) -> f64 { let mut a = vec![vec![x; n]; n]; let mut b = vec![vec![0.0; 3]; n]; std::mem::swap(&mut a[0], &mut b[1]); a[0][0] }"
        => ["std::mem::swap(&mut a[0], &mut b[1])", "an exchange of arrays"]
    follows_from_growing_rows: "fn f(x: &[f64]) -> f64 { let mut a: Vec<Vec<Vec<f64>>> = Vec::new(); a.push(vec![x.to_vec()]); let b: Vec<f64> = a[0][0].chunks(2).map(|c| c[0]).collect(); for r in &a { let n = r.len() - 1; } b[0] }"
        => ["Vec::new()", "a vector of vectors that grows"]
    follows_from_references: "fn f(x: &[f64]) -> f64 { let mut p: Vec<_> = x.iter().zip(x).collect(); p.sort_by(|a, b| a.0.total_cmp(b.0)); *p[0].1 }"
        => ["collect", "a vector of `(&f64, &f64)`"]
    follows_from_struct_in_body: "fn f(x: f64) -> f64 { struct A { v: f64 } let a = A { v: x }; a.v }"
        => ["struct A { v: f64 }", "a type declared in the body"]
    swapped_slices: "fn f(mut a: &mut [f64], mut b: &mut [f64]) { std::mem::swap(&mut a, &mut b); a[0] = 1.0; }"
        => ["std::mem::swap(&mut a, &mut b)", "an exchange of two references"]
    struct_in_body: "fn f(x: f64) -> f64 { struct A(f64); x }"
        => ["struct A(f64);", "a type declared in the body"]
    never_returns: "fn f(x: f64) -> f64 { panic!() }"
        => ["f", "never returns a value"]
    all_at_once: "fn f(x: &[f64]) -> f64 { let a = x.iter().max(); let t = c\"t\"; let b = unsafe { 1.0 }; g(a) + b }"
        => ["x.iter().max()", "an order of values of type `f64`"] ["c\"t\"", "a text of C"] ["unsafe", "`unsafe`"] ["g(a)", "not in the body"]
}

#[test]
fn the_message_of_a_refusal() {
    let item = syn::parse_str("fn f(x: &[f64]) -> f64 { x.iter().is_partitioned() }").unwrap();
    let refusals = lower(&Options::default(), item).err().expect("refused");
    assert_eq!(
        refusals[0].to_tokens().to_string(),
        "compile_error ! (\"the iterator method `is_partitioned`: an iterator here ends in `for`, `for_each`, `sum`, `product`, \
         `fold`, `count` or `collect`\\n  help: write a `for` over the items\") ;"
            .replace("compile_error !", ":: core :: compile_error !")
    );
}
