//! Whatever is written, the front end answers: it lowers, or refuses with at least one message.

use pardiff_compiler::frontend::{Options, lower, signature};
use pardiff_compiler::ir::{BufferId, Program, verify};
use pardiff_compiler::{adjoint, normalise, simplify};

fn answers(source: &str) {
    if let Some(trouble) = trouble(source, true) {
        panic!("{trouble}");
    }
}

/// What is wrong with the answer, and with what the passes make of it.
fn trouble(source: &str, all_passes: bool) -> Option<String> {
    let Ok(item) = syn::parse_str::<syn::ItemFn>(source) else { panic!("not a function: {source}") };
    let _ = signature(&Options::default(), &item);
    match lower(&Options::default(), item) {
        Ok(lowered) => {
            if let Err(violations) = verify::verify(lowered.cases.general()) {
                return Some(format!("{}\n{source}\n{}", violations[0], lowered.cases.general()));
            }
            if all_passes { passes(lowered.cases.general(), source) } else { None }
        }
        Err(refusals) => refusals.is_empty().then(|| format!("refused without a reason: {source}")),
    }
}

/// What is wrong after the passes.
fn passes(program: &Program, source: &str) -> Option<String> {
    let primal = simplify::simplify(normalise::normalise(program.clone()));
    let active: Vec<BufferId> =
        primal.params.iter().copied().filter(|&param| primal[param].elem.is_float()).collect();
    let reversed = match adjoint::reverse(&primal, &active) {
        Ok(reversed) => simplify::simplify_reversed(reversed),
        Err(error) => return Some(format!("{error:?}\n{source}\n{primal}")),
    };
    let violations = verify::verify(&reversed).err()?;
    Some(format!("{}\n{source}\n{primal}\n{reversed}", violations[0]))
}

/// Expressions of every kind, most of them outside of the language.
const EXPRESSIONS: &[&str] = &[
    "x",
    "x[0]",
    "&x",
    "&mut y",
    "*x",
    "**x",
    "-x",
    "!x",
    "x + y",
    "x[y]",
    "x[..][..]",
    "x[0][0]",
    "y[x]",
    "n[0]",
    "x.0",
    "x.a",
    "(x, y)",
    "(x, y).0",
    "(x, y).2",
    "((x,),).0.0",
    "[]",
    "[x]",
    "[x, y]",
    "[[]; 3]",
    "[0.0; n]",
    "[0.0; _]",
    "vec![]",
    "vec![x; n]",
    "vec![1, 2",
    "vec![; 3]",
    "vec![0.0; 2][5]",
    "()",
    "{}",
    "{ x }",
    "{ ; }",
    "if n > 0 { x } else { y }",
    "if n > 0 { 1.0 }",
    "if x { 1.0 } else { 2.0 }",
    "match n { }",
    "match n { 0 => 1.0 }",
    "match x { _ => 1.0 }",
    "match n { a | b => 1.0 }",
    "match (n, n) { (a, 0) | (0, a) => a as f64, _ => 0.0 }",
    "match n { Some(k) => k, None => 0 }",
    "match n { &0 => 1.0, ref k => 2.0 }",
    "match n { 0..=9 if let Some(_) = n => 1.0, _ => 2.0 }",
    "while true {}",
    "while let Some(k) = n {}",
    "loop {}",
    "loop { break 1.0 }",
    "for i in 0.. {}",
    "for i in n {}",
    "for (a, b) in 0..n {}",
    "for i in 0.0..1.0 {}",
    "for i in x {}",
    "for i in (0..n).step_by(0) {}",
    "for i in (0..n).rev().step_by(2).rev().step_by(3) {}",
    "for i in (0..n).map(|i| i) {}",
    "for i in 0..n { i = 3; }",
    "for i in n..=n { break; }",
    "continue",
    "break",
    "break 'a",
    "continue 'a",
    "return",
    "return x",
    "|a| a",
    "move || x",
    "async {}",
    "n.await",
    "unsafe { x }",
    "const { 1.0 }",
    "S { a: 1.0 }",
    "S { a: 1.0, ..s }",
    "S",
    "S::new()",
    "a::b::c",
    "<T as U>::X",
    "<f64>::MAX",
    "f(x)",
    "f()",
    "(f)(x)",
    "(|a| a)(x)",
    "x.f()",
    "x.len(1)",
    "n.len()",
    "x.swap(0)",
    "n.sqrt()",
    "s.pow(2)",
    "s.powi(2.0)",
    "s.powi()",
    "s.max()",
    "s.max(n)",
    "s.min(1.0, 2.0)",
    "s.sin_cos()",
    "s.sin_cos().2",
    "n.checked_add(1)",
    "n.checked_add()",
    "n.checked_add(1).unwrap_or()",
    "n.checked_div(1).unwrap()",
    "n.unwrap()",
    "x.iter().sum()",
    "x.iter().map(|a| a * a).sum::<f64>()",
    "x.first().unwrap()",
    "n as f64",
    "n as S",
    "n as &f64",
    "n as _",
    "s as bool",
    "x as usize",
    "'a'",
    "\"text\"",
    "b\"bytes\"",
    "c\"text\"",
    "b'x'",
    "1u8",
    "300u8",
    "-1u8",
    "1e400",
    "340282366920938463463374607431768211455u128",
    "1_f32",
    "true",
    "true + 1",
    "!true as f64",
    "..",
    "0..n",
    "0..=n",
    "n..",
    "x?",
    "let a = 1",
    "a = 1",
    "x = y",
    "x[0] = y",
    "n = 3",
    "1 = 2",
    "(n, s) = (1, 2.0)",
    "(a, b) = 3",
    "[n, s] = x",
    "_ = x",
    "n += 1.0",
    "x += 1.0",
    "s <<= 1",
    "1 << 2.0",
    "x == y",
    "(1, 2) == (1, 2)",
    "s < n",
    "s && true",
    "n && true",
    "true && n > 0 && x[n] > 0.0",
    "&raw const x",
    "panic!()",
    "panic!(\"a {}\", 1)",
    "todo!()",
    "unreachable!()",
    "println!(\"{}\", x)",
    "assert!()",
    "assert!(x)",
    "assert!(n > 0, \"{}\", n)",
    "assert_eq!(n)",
    "assert_eq!(x, y)",
    "matches!(n, 0)",
    "matches!(n)",
    "matches!(n, Some(_))",
    "cfg!(test)",
    "include_str!(\"a\")",
    "format!(\"a\")",
    "my_macro! { a b c }",
    "std::mem::swap(&mut x, &mut y)",
    "std::mem::swap(&mut n)",
    "std::mem::swap(n, s)",
    "std::mem::replace(&mut s, 1.0)",
    "std::mem::replace(&mut x, y)",
    "std::mem::take(&mut s)",
    "Vec::new()",
    "Vec::<f64>::new()",
    "Vec::with_capacity(n)",
    "Vec::from(x)",
    "Vec::from([1.0, 2.0])",
    "f64::from(n)",
    "f64::max(s)",
    "f64::max(s, n)",
    "f64::nothing(s)",
    "f64::MAX",
    "f64::NOTHING",
    "i32::MAX as f64",
    "std::f64::consts::NOTHING",
    "self",
    "self.x",
    "Self",
    "Self::X",
    "super::X",
    "crate::X[0]",
    "X[0][1][2]",
    "X.len()",
    "X.0",
    "None",
    "Some(1)",
    "x[s]",
    "x[true]",
    "x[-1]",
    "x[1..][..n].len()",
    "x[n..n][0]",
    "(&x[1..])[0]",
    "(&mut x[1..])[0] = 1.0",
    "x.to_vec()[0]",
    "x.clone()[0]",
    "[1.0, 2.0][n]",
    "[1.0, 2.0].len()",
    "s.clone()",
    "n.clone() + 1",
    "&&x[0]",
    "&*x",
    "&(1.0 + s)",
    "*&s",
    "*&mut s",
    "'a: { 1.0 }",
    "'a: for _ in 0..2 { continue 'a }",
    "s + if n > 0 { continue } else { 1.0 }",
    "s + return 1.0",
    "s.max(panic!())",
    "[panic!(); 2]",
    "if panic!() { 1.0 } else { 2.0 }",
    "fn g() {}",
    "{ fn g(a: f64) -> f64 { g(a) } g(s) }",
    "{ fn g(a: f64) -> f64 { h(a) } fn h(a: f64) -> f64 { g(a) } g(s) }",
    "{ fn g<T>(a: T) -> T { a } g(s) }",
    "{ fn g<const N: usize>() -> usize { N } g() }",
    "{ fn g(a: &[f64]) -> &[f64] { a } g(x)[0] }",
    "{ fn g() -> f64 { s } g() }",
    "{ fn g(a: f64) { } g(1.0, 2.0) }",
    "{ struct A; 1.0 }",
    "{ type R = f64; let a: R = 1.0; a }",
    "{ const A: f64 = 1.0; const B: [f64; 2] = [A; 2]; B[n] }",
    "{ static mut A: f64 = 1.0; A }",
    "{ use a::b as c; c }",
    "{ use a::*; C }",
    "{ macro_rules! m { () => {} } 1.0 }",
    "{ let a; 1.0 }",
    "{ let a: [f64; 3]; a[0] }",
    "{ let a: f64; a }",
    "{ let a: &f64; a = &s; *a }",
    "{ let mut r = &x[1..]; r = &x[2..]; r[0] }",
    "{ let (a, ..) = (1.0, 2.0); a }",
    "{ let [a, ..] = [1.0, 2.0]; a }",
    "{ let S { a } = s; a }",
    "{ let Some(a) = s else { return 1.0 }; a }",
    "{ let ref a = s; *a }",
    "{ let a @ b = s; a }",
    "{ let &a = &s; a }",
    "{ let v: Vec<Vec<f64>> = vec![]; v[0][0] }",
    "{ let mut v = vec![]; v.push(vec![1.0]); v[0][0] }",
    "{ let mut v = vec![]; v.push(v.len()); v[0] as f64 }",
    "{ let v = vec![vec![0.0; n]; n]; let mut u = v.clone(); u[0] = v[n - 1].clone(); u[0][0] }",
    "{ let a = if n > 0 { &x[..1] } else { &x[1..] }; a[0] }",
    "{ let a = if n > 0 { vec![1.0] } else { vec![2.0; n] }; a[0] }",
    "{ let t = (x, n); t.0[0] }",
    "{ let f = |a: f64| a; f(1.0) }",
    "{ #[cfg(test)] let a = 1.0; 1.0 }",
    "{ let a = #[cfg(test)] 1.0; a }",
    "{ #[parallel] for i in 0..n {} 1.0 }",
    "{ #[store(3)] for i in 0..n {} 1.0 }",
    "{ x.push(1.0); 1.0 }",
    "{ let mut v = x.to_vec(); let r = &mut v; r.push(1.0); r[0] }",
    "{ let mut v = x.to_vec(); v[..2].swap(0, 1); v.clear(); v.len() as f64 }",
    "{ let mut a = [[1.0; 2]; 2]; a[0] = a[1]; a.swap(0, 1); a[n][n] }",
    "{ let mut a = x.to_vec(); a = a[1..].to_vec(); a[0] }",
    "{ let mut a = vec![0.0; 3]; let mut b = [0.0; 3]; std::mem::swap(&mut a[..], &mut b[..]); 1.0 }",
    "{ let mut a = vec![0.0; n]; for i in 0..n { let b = vec![1.0; i]; a = b; } a.len() as f64 }",
    "{ let i = 3i128; x[i as usize] }",
    "{ yield 1.0 }",
    "X * X",
    "X == 1",
    "X < Y",
    "X && Y",
    "X.abs_diff(Y)",
    "!X",
    "X << 3",
    "-X",
    "X as usize",
];

#[test]
fn every_expression_in_every_position() {
    let mut troubles = Vec::new();
    for e in EXPRESSIONS {
        if syn::parse_str::<syn::Expr>(e).is_err() && syn::parse_str::<syn::Stmt>(e).is_err() {
            continue;
        }
        for (position, body) in [
            (*e).to_owned(),
            format!("{e};"),
            format!("let a = {e}; s"),
            format!("let mut a = {e}; a += 1.0; a"),
            format!("let a = {{ {e} }}; a"),
            format!("y[0] = {e}; s"),
            format!("y[0] += {e}; s"),
            format!("for i in 0..n {{ {e}; y[i] = s; }} s"),
            format!("for i in 0..n {{ let a = {e}; y[i] = a; }} s"),
            format!("if n > 1 {{ {e} }} else {{ {e} }}"),
            format!("match n {{ 0 => {e}, 1 if {e} => s, k => {{ {e} }} }}"),
            format!("fn g(a: &[f64], b: f64) -> f64 {{ a[0] * b }} g({e}, {e})"),
            format!("s + ({e})"),
            format!("({e}).max({e})"),
            format!("x[{e}]"),
            format!("(&{e})[0]"),
            format!("assert!({e}); s"),
            format!("let (a, b) = ({e}, {e}); a"),
        ]
        .into_iter()
        .enumerate()
        {
            let source = format!("fn f(x: &[f64], y: &mut [f64], n: usize, s: f64) -> f64 {{ {body} }}");
            if syn::parse_str::<syn::ItemFn>(&source).is_ok() {
                troubles.extend(trouble(&source, position % 6 == 0));
            }
        }
    }
    assert!(troubles.is_empty(), "{} troubles\n{}", troubles.len(), troubles.join("\n"));
}

#[test]
fn every_signature() {
    for signature in [
        "fn f()",
        "fn f(&self)",
        "fn f(self, x: f64) -> f64",
        "async fn f(x: f64) -> f64",
        "unsafe fn f(x: f64) -> f64",
        "const fn f(x: f64) -> f64",
        "extern \"C\" fn f(x: f64) -> f64",
        "fn f<T>(x: T) -> T",
        "fn f<T: Float>(x: &[T]) -> T where T: Copy",
        "fn f<'a>(x: &'a [f64]) -> f64",
        "fn f<const N: usize>(x: [f64; N]) -> f64",
        "fn f<const B: bool>(x: f64) -> f64",
        "fn f(x: Vec<f64>) -> f64",
        "fn f(x: &Vec<f64>) -> f64",
        "fn f(x: &mut Vec<f64>) -> f64",
        "fn f(x: &[Vec<f64>]) -> f64",
        "fn f(x: &[&[f64]]) -> f64",
        "fn f(x: Real) -> Real",
        "fn f(x: (f64, f64)) -> f64",
        "fn f((a, b): (f64, f64)) -> f64",
        "fn f(&x: &f64) -> f64",
        "fn f([a, b]: [f64; 2]) -> f64",
        "fn f(_: f64) -> f64",
        "fn f(x: impl Fn(f64) -> f64) -> f64",
        "fn f(x: &dyn Fn(f64) -> f64) -> f64",
        "fn f(x: fn(f64) -> f64) -> f64",
        "fn f(x: *const f64) -> f64",
        "fn f(x: &str) -> f64",
        "fn f(x: char, y: f64) -> f64",
        "fn f(x: !) -> f64",
        "fn f(x: f64) -> !",
        "fn f(x: f64) -> Vec<f64>",
        "fn f(x: f64) -> Option<f64>",
        "fn f(x: f64) -> &f64",
        "fn f(x: f64) -> impl Copy",
        "fn f(x: f64) -> (f64, (f64, f64))",
        "fn f(x: f64) -> ()",
        "fn f(x: f64) -> (f64,)",
        "fn f(x: f64) -> [f64; 2]",
        "fn f(x: f64) -> [[f64; 2]; 3]",
        "fn f(x: f64) -> usize",
        "fn f(x: usize) -> f64",
        "fn f(x: &[f64; 3 + 1], y: &[f64; { 2 * K }], z: &[f64; self::N]) -> f64",
        "fn f(x: &[f64; _]) -> f64",
        "fn f(x: &[f64; g()]) -> f64",
        "fn f(#[cfg(a)] x: f64) -> f64",
        "fn f(x: u128, y: i128, z: f32) -> f32",
        "fn f(x: f64, ...)",
        "fn f(x: std::vec::Vec<f64>) -> f64",
        "fn f(x: Self) -> f64",
        "fn f(x: [Real; 3]) -> f64",
        "fn f(x: [[f64]; 3]) -> f64",
        "fn f(x: [f64]) -> f64",
        "fn f(x: &&[f64]) -> f64",
        "fn f(x: &&f64) -> f64",
        "fn f(x: _) -> f64",
        "fn f(x: <A as B>::C) -> f64",
        "fn f(x: m!()) -> f64",
        "fn f(x: f64, x: f64) -> f64",
        "fn f(mut x: &[f64]) -> f64",
        "fn f(mut x: &mut [f64]) -> f64",
        "fn f(mut x: [f64; 2]) -> f64",
        "fn f(ref x: f64) -> f64",
    ] {
        for body in [
            "{ }",
            "{ x }",
            "{ 0.0 }",
            "{ x[0] }",
            "{ 0.0 + x }",
            "{ loop {} }",
            "{ [x; 2] }",
            "{ (x, 1.0) }",
            "{ x = 1.0; x }",
            "{ x[0] = 1.0; x.len() as f64 }",
        ] {
            let source = format!("{signature} {body}");
            if syn::parse_str::<syn::ItemFn>(&source).is_ok() {
                answers(&source);
            }
        }
    }
}

#[test]
fn groups_without_delimiters_are_looked_through() {
    use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
    fn grouped(tokens: &str) -> TokenStream {
        let stream: TokenStream = tokens.parse().unwrap();
        TokenStream::from(TokenTree::from(Group::new(Delimiter::None, stream)))
    }
    let (ty, index, range, factor) =
        (grouped("f64"), grouped("i + 1"), grouped("0..x.len() - 1"), grouped("1.0 + 1.0"));
    let item = syn::parse2(quote::quote!(fn f(x: &[#ty]) -> #ty { let mut s: #ty = 0.0; for i in #range { s += x[#index] * #factor; } s })).unwrap();
    let program = lower(&Options::default(), item).unwrap().cases.into_general();
    assert!(program.to_string().contains("x[i + 1] * (1.0 + 1.0)"), "{program}");
}

#[test]
fn deep_nesting() {
    let mut e = "s".to_owned();
    for _ in 0..60 {
        e = format!("({e} + 1.0)");
    }
    answers(&format!("fn f(s: f64) -> f64 {{ {e} }}"));
    let mut e = "s".to_owned();
    for _ in 0..30 {
        e = format!("if s > 0.0 {{ {e} }} else {{ 1.0 }}");
    }
    answers(&format!("fn f(s: f64) -> f64 {{ {e} }}"));
}

#[test]
fn long_sums() {
    let terms: Vec<String> = (0..400).map(|k| format!("x[{k}] * {k}.0")).collect();
    answers(&format!("fn f(x: &[f64]) -> f64 {{ {} }}", terms.join(" + ")));
    let stmts: Vec<String> = (0..60).map(|k| format!("s += x[{k}] * s;")).collect();
    answers(&format!("fn f(x: &[f64]) -> f64 {{ let mut s = 1.0; {} s }}", stmts.join(" ")));
}

#[test]
fn extreme_constants() {
    answers(
        "fn f(x: f64) -> f64 { let a = -i128::MIN; let b = u64::MAX as usize + 1; x + a as f64 + b as f64 }",
    );
    answers("fn f(x: &[f64]) -> f64 { let a = &x[18446744073709551615..=18446744073709551615]; a[0] }");
    answers(
        "fn f(x: f64) -> f64 { let mut s = x; for i in (0..=i128::MAX).rev().step_by(2) { s += i as f64; } s }",
    );
    answers(
        "fn f(x: f64) -> f64 { let mut s = x; for i in (0..9).step_by(18446744073709551615).step_by(18446744073709551615) { s += i as f64; } s }",
    );
}

#[test]
fn exponential_helpers_are_refused() {
    let mut helpers = "fn h0(a: f64) -> f64 { a }".to_owned();
    for k in 1..20 {
        helpers += &format!("fn h{k}(a: f64) -> f64 {{ h{}(a) + h{}(a) }}", k - 1, k - 1);
    }
    let source = format!("fn f(s: f64) -> f64 {{ {helpers} h19(s) }}");
    let refusals = lower(&Options::default(), syn::parse_str(&source).unwrap()).err().expect("refused");
    assert!(refusals[0].what.contains("more than"), "{refusals:?}");
}
