//! Casts between every pair of integer types, of constants and of sums with constants, the least and the greatest one included.

use std::fmt::Write;

/// The integer types, with their numbers of bits and whether they have a sign.
const TYPES: [(&str, u32, bool); 12] = [
    ("i8", 8, true),
    ("i16", 16, true),
    ("i32", 32, true),
    ("i64", 64, true),
    ("i128", 128, true),
    ("isize", 64, true),
    ("u8", 8, false),
    ("u16", 16, false),
    ("u32", 32, false),
    ("u64", 64, false),
    ("u128", 128, false),
    ("usize", 64, false),
];

/// A function of each type with its test.
pub fn programs() -> String {
    // larger constants than of 64 bits are refused
    let from = TYPES.into_iter().filter(|(_, bits, _)| *bits <= 64);
    let values = from.clone().map(|(name, bits, signed)| values(name, bits, signed));
    let signed = from.filter(|(.., signed)| *signed);
    values.chain(signed.map(|(name, bits, _)| indices(name, bits))).collect()
}

/// `x[i] * (c as To) as f64` and `x[i] * (a.wrapping_add(c) as To) as f64`: rustc's own values are the reference.
fn values(from: &str, bits: u32, signed: bool) -> String {
    let constants = match signed {
        true => vec![format!("-{}", 1_u128 << (bits - 1)), "-1".to_owned()],
        false => vec![(u128::MAX >> (128 - bits)).to_string()],
    };
    let mut factors = Vec::new();
    for (to, ..) in TYPES {
        for constant in &constants {
            factors.push(format!("((({constant}) as {from}) as {to}) as f64"));
            factors.push(format!("(a.wrapping_add({constant}) as {to}) as f64"));
        }
    }
    let count = factors.len();
    let mut body = String::new();
    for (k, factor) in factors.iter().enumerate() {
        let _ = writeln!(body, "out[{count} * i + {k}] = x[i] * ({factor});");
    }
    format!(
        "mod values_of_{from} {{
#[pardiff::differentiate]
fn f(x: &[f64], a: {from}, out: &mut [f64]) {{
    for i in 0..x.len() {{
        {body}
    }}
}}
#[test]
fn are_those_of_rustc() {{
    for a in [0, 1, 77, {from}::MAX, {from}::MIN] {{
        let (x, factors): (_, [f64; {count}]) = ([0.5; 9], [{}]);
        let (mut out, mut d_x, mut d_out) = ([0.0; {count} * 9], [0.0; 9], [1.0; {count} * 9]);
        f::vjp(&x, &mut d_x, a, &mut out, &mut d_out);
        for i in 0..9 {{
            assert_eq!(out[{count} * i..][..{count}], factors.map(|factor| 0.5 * factor), \"{{a}}\");
            super::is_near(d_x[i], &factors);
        }}
    }}
}}
}}
",
        factors.join(", ")
    )
}

/// `x[(i + -1) as To as usize]` in a loop over `i: From`.
fn indices(from: &str, bits: u32) -> String {
    let least = 1_u128 << (bits - 1);
    let constants = ["(i + -1)".to_owned(), format!("((i + -{least}) - -{least})")];
    let indices =
        TYPES.iter().flat_map(|(to, ..)| constants.iter().map(move |c| format!("{c} as {to} as usize")));
    let sum: String = indices.map(|index| format!("s += x[{index}]; ")).collect();
    format!(
        "mod indices_of_{from} {{
#[pardiff::differentiate]
fn f(x: &[f64], n: {from}) -> f64 {{
    let mut s = 0.0;
    for i in 1..n {{ {sum} }}
    s
}}
#[test]
fn are_those_of_rustc() {{
    let x: Vec<f64> = (0..20).map(|k| f64::from(k).sin()).collect();
    let mut d_x = vec![0.0; 20];
    f::grad(&x, &mut d_x, 20);
    pardiff_programs::check(|at| f(&at[0], 20), &[&x], &[&d_x]);
}}
}}
"
    )
}
