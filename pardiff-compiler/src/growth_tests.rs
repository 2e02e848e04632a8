//! How expansion grows: steps are at most linear times a logarithm in what the user writes, up to ten times of what a person
//! writes. One test a construct.

use crate::steps;
use proc_macro2::TokenStream;

/// `count` pieces, each of its number.
fn repeat(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect()
}

/// The same with something between them.
fn list(count: usize, between: &str, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect::<Vec<_>>().join(between)
}

/// The steps of an expansion.
fn steps_of(source: &str) -> f64 {
    let tokens: TokenStream = source.parse().expect("tokens");
    let (out, steps) = steps::of(|| crate::expand(TokenStream::new(), tokens));
    let out = out.to_string();
    assert!(!out.contains("compile_error"), "{source}\n{out}");
    steps as f64
}

/// Ten times the program takes at most ten times the steps, times a logarithm, and the last doubling less than three times, where
/// a square would take four.
#[track_caller]
fn grows(person: usize, source: impl Fn(usize) -> String) {
    let [one, half, all] = [1, 5, 10].map(|times| steps_of(&source(times * person)));
    let most = 10.0 * (10.0 * person as f64).log2() / (person as f64).log2();
    assert!(all <= most * one, "{one}, {half}, {all}: {:.1} times the steps, not {most:.1}", all / one);
    assert!(all <= 3.0 * half, "{half}, {all}: {:.2} times the steps", all / half);
}

/// The body of a loop over `x`, which adds to `s`.
fn in_a_loop(body: &str) -> String {
    format!(
        "fn f(x: &[f64], y: &[f64], k: &[usize]) -> f64 {{
            let mut s = 0.0;
            for i in 0..x.len() {{ {body} }}
            s
        }}"
    )
}

/// Functions of a module, and the one to differentiate.
fn module(items: &str, main: &str) -> String {
    format!("mod m {{ {items} #[differentiate] pub {main} }}")
}

#[test]
fn arms_of_a_match() {
    grows(6, |n| {
        let arms = repeat(n, |k| format!("{k} => s += x[i] * {k}.5,"));
        in_a_loop(&format!("match k[i] {{ {arms} _ => s += x[i].sin() }}"))
    });
    grows(6, |n| {
        let arms = repeat(n, |k| format!("{k} => x[i] * {k}.5,"));
        in_a_loop(&format!("let v = match k[i] {{ {arms} _ => x[i].sin() }}; s += v * v;"))
    });
    grows(6, |n| {
        let arms = repeat(n, |k| format!("{k} => x[0] * {k}.5,"));
        format!("fn f(x: &[f64], k: usize) -> f64 {{ match k {{ {arms} _ => x[0].sin() }} }}")
    });
}

#[test]
fn conditions_in_a_chain() {
    grows(6, |n| {
        let chain = repeat(n, |k| format!("if x[i] < {k}.5 {{ s += x[i] * y[i] * {k}.5; }} else "));
        in_a_loop(&format!("{chain} {{ s += x[i].sin(); }}"))
    });
    grows(6, |n| {
        let returns = repeat(n, |k| format!("if x[0] > {k}.5 {{ return x[1] * {k}.5; }}"));
        format!("fn f(x: &[f64]) -> f64 {{ {returns} x[2] }}")
    });
    grows(6, |n| {
        let ends = repeat(n, |k| format!("if x[i] > {k}.5 {{ s += x[i] * {k}.5; continue; }}"));
        in_a_loop(&format!("{ends} s += x[i];"))
    });
}

#[test]
fn conditions_in_one_another() {
    grows(3, |n| {
        let open = repeat(n, |k| format!("if x[i] > {k}.5 {{ s += x[i] * y[i] * {k}.5;"));
        in_a_loop(&format!("{open} {}", "}".repeat(n)))
    });
}

#[test]
fn conditions_in_a_row() {
    grows(6, |n| in_a_loop(&repeat(n, |k| format!("if x[i] > {k}.5 {{ s += x[i] * {k}.5; }}"))));
    grows(6, |n| {
        let values = repeat(n, |k| {
            let before = k.checked_sub(1).map_or("x[i]".to_owned(), |k| format!("v{k}"));
            format!("let v{k} = if x[i] > {k}.5 {{ x[i] * {k}.5 }} else {{ {before} + 1.0 }};")
        });
        in_a_loop(&format!("{values} s += v{};", n - 1))
    });
}

/// Passes look at the body of each loop: the size of the program is the sum of the depths of its statements.
#[test]
fn loops_in_one_another() {
    let source = |n| {
        let open = repeat(n, |k| format!("for i{k} in 0..n {{ s += x[i{k}] * {k}.5;"));
        format!("fn f(x: &[f64], n: usize) -> f64 {{ let mut s = 0.0; {open} {} s }}", "}".repeat(n))
    };
    let size = |n: usize| (n * (n + 1) / 2) as f64;
    let [one, half, all] = [3, 15, 30].map(|n| steps_of(&source(n)));
    assert!(all / one <= size(30) / size(3), "{one}, {all}");
    assert!(all / half <= 2.0 * size(30) / size(15), "{half}, {all}");
}

#[test]
fn statements_in_a_row() {
    grows(10, |n| {
        let values = repeat(n, |k| {
            let before = k.checked_sub(1).map_or("x[i]".to_owned(), |k| format!("v{k}"));
            format!("let v{k} = ({before} * y[i] + {k}.5).sin();")
        });
        in_a_loop(&format!("{values} s += v{};", n - 1))
    });
    grows(10, |n| {
        let stores = repeat(n, |k| format!("y[{k}] = y[{}] * x[{k}] + x[{}];", k.max(1) - 1, k + 1));
        format!("fn f(x: &[f64], y: &mut [f64]) {{ {stores} }}")
    });
    // each reads another neighbour
    grows(6, |n| {
        let steps = repeat(n, |k| format!("v = v * x[i + {k}] + 1.0;"));
        format!(
            "fn f(x: &[f64], n: usize) -> f64 {{
                let mut s = 0.0;
                for i in 0..n {{ let mut v = 1.0; {steps} s += v; }}
                s
            }}"
        )
    });
    grows(10, |n| {
        let adds = repeat(n, |k| format!("y[at[i]] += x[at[i]] * x[i] * {k}.5;"));
        format!("fn f(x: &[f64], y: &mut [f64], at: &[usize]) {{ for i in 0..at.len() {{ {adds} }} }}")
    });
}

#[test]
fn parts_of_an_expression() {
    grows(4, |n| {
        format!("fn f(x: &[f64]) -> f64 {{ {} }}", list(n, " + ", |k| format!("x[{k}] * x[{}]", k + 1)))
    });
    grows(6, |n| {
        let value = (0..n).fold("x[0]".to_owned(), |value, k| format!("({value} + {k}.5).sin()"));
        format!("fn f(x: &[f64]) -> f64 {{ {value} }}")
    });
}

#[test]
fn loops_in_a_row() {
    grows(5, |n| {
        let loops = repeat(n, |k| format!("for i in 0..x.len() {{ y[i] += x[i] * {k}.5; }}"));
        format!("fn f(x: &[f64], y: &mut [f64]) {{ {loops} }}")
    });
    grows(5, |n| {
        let loops = repeat(n, |k| {
            let before = k.checked_sub(1).map_or("x".to_owned(), |k| format!("a{k}"));
            format!(
                "let mut a{k} = vec![0.0; x.len()];
                for i in 0..x.len() {{ a{k}[i] = ({before}[i] * {k}.5).sin(); }}"
            )
        });
        format!(
            "fn f(x: &[f64]) -> f64 {{
                {loops}
                let mut s = 0.0;
                for i in 0..x.len() {{ s += a{}[i]; }}
                s
            }}",
            n - 1
        )
    });
}

#[test]
fn loops_of_a_time_step() {
    grows(5, |n| {
        let arrays = repeat(n, |k| format!("let mut a{k} = vec![0.0; x.len()];"));
        let loops = repeat(n, |k| {
            let before = k.max(1) - 1;
            format!("for i in 1..x.len() {{ a{k}[i] = a{before}[i - 1] + (x[i] * a{k}[i] * {k}.5).sin(); }}")
        });
        format!(
            "fn f(x: &[f64], steps: usize) -> f64 {{
                {arrays}
                for _ in 0..steps {{ {loops} }}
                let mut s = 0.0;
                for i in 0..x.len() {{ s += a{}[i]; }}
                s
            }}",
            n - 1
        )
    });
}

#[test]
fn helpers() {
    let of_scalars = |k: usize, value: String| {
        format!("fn h{k}(a: f64, b: f64) -> f64 {{ let c = {value} + {k}.5; c * c.sin() }}")
    };
    let main = |sum: String| {
        format!(
            "fn f(x: &[f64], y: &[f64]) -> f64 {{
                let mut s = 0.0;
                for i in 0..x.len() {{ s += {sum}; }}
                s
            }}"
        )
    };
    grows(5, |n| {
        let sum = list(n, " + ", |k| format!("h{k}(x[i], y[i])"));
        module(&repeat(n, |k| of_scalars(k, "a * b".to_owned())), &main(sum))
    });
    grows(5, |n| {
        let items = repeat(n, |k| {
            format!("fn h{k}(a: &[f64], b: &mut [f64]) {{ for i in 0..a.len() {{ b[i] += a[i] * {k}.5; }} }}")
        });
        let calls = repeat(n, |k| format!("h{k}(x, y);"));
        module(&items, &format!("fn f(x: &[f64], y: &mut [f64]) {{ {calls} }}"))
    });
    // each calls the one before
    grows(4, |n| {
        let items = repeat(n, |k| {
            let value = k.checked_sub(1).map_or("a * b".to_owned(), |k| format!("h{k}(a, b)"));
            of_scalars(k, value)
        });
        module(&items, &main(format!("h{}(x[i], y[i])", n - 1)))
    });
    grows(5, |n| {
        let methods = repeat(n, |k| format!("fn h{k}(&self, a: f64) -> f64 {{ a * self.p + {k}.5 }}"));
        let sum = list(n, " + ", |k| format!("q.h{k}(x[i])"));
        module(
            &format!("pub struct Q {{ p: f64 }} impl Q {{ {methods} }}"),
            &format!(
                "fn f(x: &[f64], q: &Q) -> f64 {{
                    let mut s = 0.0;
                    for i in 0..x.len() {{ s += {sum}; }}
                    s
                }}"
            ),
        )
    });
}

#[test]
fn parameters() {
    grows(6, |n| {
        let (params, sum) = (
            list(n, ", ", |k| format!("p{k}: &[f64]")),
            list(n, " + ", |k| format!("p{k}[i] * p{}[i]", (k + 1) % n)),
        );
        format!("fn f({params}) -> f64 {{ let mut s = 0.0; for i in 0..p0.len() {{ s += {sum}; }} s }}")
    });
    grows(6, |n| {
        let sum = list(n, " + ", |k| format!("p{k} * p{}", (k + 1) % n));
        format!("fn f({}) -> f64 {{ {sum} }}", list(n, ", ", |k| format!("p{k}: f64")))
    });
}

#[test]
fn tuples() {
    let sum = |n| list(n, " + ", |k| format!("t.{k} * t.{}", (k + 1) % n));
    grows(4, |n| {
        let parts = list(n, ", ", |k| format!("x[i] * {k}.5"));
        in_a_loop(&format!("let t = ({parts}); s += {};", sum(n)))
    });
    grows(4, |n| {
        let (start, next) =
            (list(n, ", ", |_| "0.0f64".to_owned()), list(n, ", ", |k| format!("t.{k} + v * {k}.5")));
        let fold = format!("x.iter().fold(({start}), |t, &v| ({next}))");
        format!("fn f(x: &[f64]) -> f64 {{ let t = {fold}; {} }}", sum(n))
    });
}

#[test]
fn adapters_of_a_chain() {
    let chain = |n: usize, adapter: &dyn Fn(usize) -> String| {
        format!("fn f(x: &[f64], y: &[f64]) -> f64 {{ x.iter().map(|v| *v){}.sum() }}", repeat(n, adapter))
    };
    grows(4, |n| chain(n, &|k| format!(".map(|v| v * {k}.5 + 1.0)")));
    grows(4, |n| chain(n, &|k| format!(".filter(|v| *v > {k}.5)")));
    grows(4, |n| chain(n, &|_| ".zip(y.iter()).map(|(a, b)| a * b)".to_owned()));
    grows(4, |n| chain(n, &|k| format!(".chain(y.iter().map(|v| v * {k}.5))")));
    grows(4, |n| chain(n, &|_| ".enumerate().map(|(k, v)| v * k as f64)".to_owned()));
}

#[test]
fn fields_of_a_struct() {
    let declared = |n| list(n, ", ", |k| format!("pub a{k}: f64"));
    grows(6, |n| {
        let sum = list(n, " + ", |k| format!("q.a{k} * q.a{}", (k + 1) % n));
        module(&format!("pub struct Q {{ {} }}", declared(n)), &format!("fn f(q: &Q) -> f64 {{ {sum} }}"))
    });
    grows(6, |n| {
        let sum = list(n, " + ", |k| format!("q[i].a{k} * q[i].a{}", (k + 1) % n));
        module(
            &format!("#[derive(Clone)] pub struct Q {{ {} }}", declared(n)),
            &format!(
                "fn f(q: &[Q]) -> f64 {{
                    let mut s = 0.0;
                    for i in 0..q.len() {{ s += {sum}; }}
                    s
                }}"
            ),
        )
    });
}

#[test]
fn small_arrays() {
    grows(4, |n| {
        let arrays = repeat(n, |k| {
            format!("let mut a{k} = [0.0; 3]; for j in 0..3 {{ a{k}[j] = x[i + j] * {k}.5; }}")
        });
        let sum = list(n, " + ", |k| format!("a{k}[0] * a{k}[2]"));
        format!(
            "fn f(x: &[f64]) -> f64 {{
                let mut s = 0.0;
                for i in 0..x.len() - 3 {{ {arrays} s += {sum}; }}
                s
            }}"
        )
    });
}
