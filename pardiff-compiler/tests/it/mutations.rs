//! Programs that somebody got wrong: random programs with tokens deleted, doubled, exchanged or replaced. Whatever
//! they have become, the macro answers with tokens, never with a panic.

use crate::random::draw::Draw;
use crate::random::{Style, program};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;

/// What tokens are replaced by.
const POOL: &[&str] = &[
    "0",
    "1",
    "7usize",
    "0.5",
    "1e400",
    "1.5f32",
    "340282366920938463463374607431768211456",
    "255u8",
    "-1",
    "\"text\"",
    "'c'",
    "b'x'",
    "true",
    "x",
    "y",
    "n",
    "i",
    "Self",
    "self",
    "super::K",
    "f64",
    "f32",
    "usize",
    "i128",
    "bool",
    "&",
    "&mut",
    "*",
    "+",
    "-",
    "/",
    "%",
    "<<",
    ">>",
    "==",
    "<",
    "&&",
    "||",
    "!",
    "=",
    "+=",
    "..",
    "..=",
    "?",
    ";",
    ",",
    ".",
    "|a| a",
    "for",
    "while",
    "loop",
    "if",
    "else",
    "match",
    "break",
    "return",
    "continue",
    "let",
    "mut",
    "as",
    "fn",
    "const",
    "ref",
    "move",
    "unsafe",
    "async",
    "impl",
    "dyn",
    "where",
    "_",
    "'a",
    "#[cfg(x)]",
    "#[parallel]",
    ".len()",
    ".sin()",
    ".iter()",
    ".sum::<f64>()",
    ".push(1.0)",
    ".swap(0, 1)",
    ".max(1.0)",
    ".pow(2)",
    ".checked_add(1)",
    ".unwrap()",
    "(1, 2)",
    "[0.0; 3]",
    "[0.0; n]",
    "vec![]",
    "vec![0.0; 4]",
    "{ 1.0 }",
    "()",
    "x[0]",
    "x[1..3]",
    "&x[..]",
    "std::mem::swap(&mut x, &mut y)",
    "f64::max(1.0, 2.0)",
    "println!(\"\")",
    "a[[i, j]]",
    "a.row(i)",
    "a.axis_iter(Axis(1))",
    ".t()",
    ".sum()",
    "Array2::zeros((n, 2))",
    "Zip::from(&mut b).and(&a)",
    "ArrayView2<'_, f64>",
];

/// Programs of what the random ones do not have.
const ARRAYS: [&str; 3] = [
    "fn f(a: &Array2<f64>, x: ArrayView1<'_, f64>, mut y: ArrayViewMut1<f64>, n: usize) -> f64 {
        let (m, k) = a.dim();
        let mut b = Array2::<f64>::zeros((n, k));
        for (i, row) in a.outer_iter().enumerate() { y[i] += row.dot(&x) * a[[i, 0]]; }
        Zip::from(&mut b).and(a).for_each(|b, &a| *b += a * a);
        for j in 0..k { for x in b.column_mut(j) { *x *= a.t()[[j, 0]]; } }
        b.sum() + y.iter().zip(x).map(|(y, x)| y * x).sum::<f64>() + m as f64
    }",
    "fn f(a: ArrayView3<f64>, mut b: ArrayViewMut2<f64>, i: usize, j: usize) {
        for ((i, j), b) in b.indexed_iter_mut() { *b *= a[(i, j, 0)]; }
        azip!((index (i, j), b in &mut b, &a in a.index_axis(Axis(2), 1)) *b += a * i as f64);
        b.swap([i, j], [0, 0]);
        b.row_mut(i).fill(a.shape()[1] as f64);
        for mut column in b.axis_iter_mut(Axis(1)) { column.map_inplace(|x| *x += 1.0); }
    }",
    "fn f(a: &mut ArrayViewMut2<f32>, index: &Array1<usize>) -> f32 {
        let c = a.to_owned();
        let mut t = a.iter().filter(|x| **x > 0.0).fold(0.0, |t, x| t + x);
        for x in a.iter_mut() { if *x < 0.0 { break; } *x = t; }
        for &k in index { t += c[[k, c.len_of(Axis(1)) - 1]] * a.column(0)[k]; }
        t
    }",
];

const OPTIONS: &[&str] =
    &["", "", "", "wrt(x)", "wrt(y, nothing)", "wrt()", "forward", "hvp", "module = m", "wrt x", "1"];

/// One random change somewhere in the tokens.
fn mutated(tokens: TokenStream, draw: &mut Draw) -> TokenStream {
    let mut list: Vec<TokenTree> = tokens.into_iter().collect();
    let groups: Vec<usize> = (0..list.len())
        .filter(|&k| matches!(&list[k], TokenTree::Group(it) if !it.stream().is_empty()))
        .collect();
    if !groups.is_empty() && draw.chance(85) {
        // the last group of a function is its body, and most of what is inside stands in further groups
        let k = if draw.chance(50) { groups[groups.len() - 1] } else { *draw.pick(&groups) };
        if let TokenTree::Group(group) = &list[k] {
            let mut inner = Group::new(group.delimiter(), mutated(group.stream(), draw));
            inner.set_span(group.span());
            list[k] = inner.into();
        }
        return list.into_iter().collect();
    }
    if list.is_empty() {
        return TokenStream::new();
    }
    let at = draw.below(list.len());
    match draw.below(6) {
        0 => drop(list.remove(at)),
        1 => list.insert(at, list[at].clone()),
        2 => {
            let other = draw.below(list.len());
            list.swap(at, other);
        }
        3 => {
            let hidden = Group::new(Delimiter::None, list[at].clone().into());
            list[at] = hidden.into();
        }
        _ => {
            let text: &str = draw.pick::<&str>(POOL);
            let new = TokenStream::from_str(text).unwrap_or_default();
            let keep = draw.chance(40);
            list.splice(at..at + usize::from(!keep), new);
        }
    }
    list.into_iter().collect()
}

#[test]
fn no_input_makes_the_macro_panic() {
    let count = crate::property::setting("PARDIFF_MUTATIONS", 600);
    let first = crate::property::setting("PARDIFF_SEED", 1);
    let work = move |thread: u64| {
        let mut failures = Vec::new();
        for seed in (first..first + count).skip(thread as usize).step_by(2) {
            let mut draw = Draw::new(seed ^ 0x3a7);
            let source =
                program(seed, Style { exact: seed.is_multiple_of(3), mixed: seed.is_multiple_of(5) });
            let source = match ARRAYS.get(draw.below(8)) {
                Some(source) => (*source).to_owned(),
                None => source.source(),
            };
            let original = TokenStream::from_str(&source).unwrap_or_default();
            let mut tokens = original.clone();
            // most changes leave what syn already refuses: a few attempts at one that it does not
            for _ in 0..10 {
                tokens = mutated(original.clone(), &mut draw);
                if draw.chance(40) {
                    tokens = mutated(tokens, &mut draw);
                }
                if syn::parse2::<syn::ItemFn>(tokens.clone()).is_ok() {
                    break;
                }
            }
            let options: &str = draw.pick::<&str>(OPTIONS);
            let options = TokenStream::from_str(options).unwrap_or_default();
            let text = tokens.to_string();
            let run = AssertUnwindSafe(|| pardiff_compiler::expand(options, tokens));
            match catch_unwind(run) {
                Ok(expansion) => assert!(!expansion.is_empty() || text.is_empty()),
                Err(panic) => {
                    let why = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                    failures.push(format!("seed {seed}: {why}\n{text}\n"));
                }
            }
            if failures.len() > 2 {
                break;
            }
        }
        failures
    };
    let threads: Vec<_> = (0..2)
        .filter_map(|thread| {
            let builder = std::thread::Builder::new().name("random programs".into()).stack_size(32 << 20);
            builder.spawn(move || work(thread)).ok()
        })
        .collect();
    let failures: Vec<String> = threads
        .into_iter()
        .flat_map(|thread| thread.join().unwrap_or_else(|_| vec!["no thread".into()]))
        .collect();
    assert!(failures.is_empty(), "{}", failures.concat());
}

#[test]
fn the_programs_to_change_are_accepted() {
    for source in ARRAYS {
        let expansion =
            pardiff_compiler::expand(TokenStream::new(), source.parse().expect("tokens")).to_string();
        assert!(!expansion.contains("compile_error"), "{expansion}");
    }
}
