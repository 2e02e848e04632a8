//! The help of a refusal is an edit that works.
//!
//! Each row of the table is a program that is refused. The code in the help is taken out of the message, the edit is
//! made with it, and what comes out is accepted. All edited programs stand in one file, which `tests/ui` compiles and
//! runs. `PARDIFF_UPDATE_DOCS=1` writes that file.

mod bodies;
mod signatures;

use pardiff_compiler::expand_with;
use pardiff_compiler::frontend::Features;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::fmt::Write;
use std::path::Path;
use syn::{Attribute, Item, Meta};

/// A program that is refused, and the edit that its help describes.
struct Row {
    name: &'static str,
    source: &'static str,
    /// A part of the message.
    says: &'static str,
    /// What stands for something of the user in the code of the help, and what it is here.
    filled: &'static [(&'static str, &'static str)],
    /// Texts of the source, and what they become; `{1}` is the first piece of code in the help.
    edits: &'static [(&'static str, &'static str)],
    /// Runs the edited program.
    main: &'static str,
}

const FEATURES: Features = Features {
    ndarray: false,
    cuda: false,
    gemm: false,
    num_traits: true,
    num_complex: false,
    glam: false,
    nalgebra: true,
};

fn rows() -> impl Iterator<Item = &'static Row> {
    signatures::SIGNATURES.iter().chain(bodies::BODIES)
}

/// The messages that a program gets.
fn messages(source: &str) -> Vec<String> {
    let file: syn::File = syn::parse_str(source).unwrap_or_else(|error| panic!("{error} in\n{source}"));
    let mut messages = Vec::new();
    for mut item in file.items {
        let attributes: &mut Vec<Attribute> = match &mut item {
            Item::Fn(item) => &mut item.attrs,
            Item::Impl(item) => &mut item.attrs,
            Item::Mod(item) => &mut item.attrs,
            Item::Struct(item) => &mut item.attrs,
            _ => continue,
        };
        let Some(at) = attributes.iter().position(|it| it.path().is_ident("differentiate")) else { continue };
        let arguments = match attributes.remove(at).meta {
            Meta::List(list) => list.tokens,
            _ => TokenStream::new(),
        };
        errors(expand_with(FEATURES, arguments, quote!(#item)), &mut messages);
    }
    messages
}

/// The texts of all `compile_error!` in tokens.
fn errors(tokens: TokenStream, into: &mut Vec<String>) {
    let mut is_error = false;
    for tree in tokens {
        match tree {
            TokenTree::Ident(name) => is_error = name == "compile_error",
            TokenTree::Group(group) if is_error => {
                let text: syn::LitStr = syn::parse2(group.stream().into_token_stream()).expect("a text");
                into.push(text.value());
            }
            TokenTree::Group(group) => errors(group.stream(), into),
            _ => {}
        }
    }
}

/// The pieces of code in the help of a message.
fn code(message: &str) -> Vec<&str> {
    let (_, help) = message.split_once("\n  help: ").unwrap_or_else(|| panic!("no help: {message}"));
    help.split('`').skip(1).step_by(2).collect()
}

impl Row {
    /// The program after the edit.
    fn edited(&self) -> String {
        let all = messages(self.source);
        let message = all.iter().find(|message| message.contains(self.says));
        let message = message.unwrap_or_else(|| panic!("{}: no {:?} in {all:#?}", self.name, self.says));
        let mut pieces: Vec<String> = code(message).into_iter().map(str::to_owned).collect();
        for (open, here) in self.filled {
            assert!(pieces.iter().any(|piece| piece.contains(open)), "{}: no {open} in {message}", self.name);
            pieces.iter_mut().for_each(|piece| *piece = piece.replace(open, here));
        }
        let (mut source, mut used) = (self.source.to_owned(), 0);
        for (from, to) in self.edits {
            let [from, to] = [from, to].map(|text| {
                let mut text = (*text).to_owned();
                for (at, piece) in pieces.iter().enumerate() {
                    let place = format!("{{{}}}", at + 1);
                    used += text.matches(&place).count();
                    text = text.replace(&place, piece);
                }
                text
            });
            assert!(source.contains(&from), "{}: no {from:?} in\n{source}\n{message}", self.name);
            source = source.replace(&from, &to);
        }
        assert!(used > 0, "{}: the edit is not that of the help: {message}", self.name);
        source
    }
}

#[test]
fn helps_are_edits_that_are_accepted() {
    for row in rows() {
        let edited = row.edited();
        assert_eq!(messages(&edited), <[String; 0]>::default(), "{}:\n{edited}", row.name);
    }
    assert!(rows().count() >= 20);
}

#[test]
fn edited_programs_are_compiled_and_run() {
    let mut text = "//! Refused programs after the edits that their messages ask for: made by the compiler's test `helps`.\n\
                    \n\
                    #![allow(unused, clippy::all, reason = \"edits stand where the messages ask for them\")]\n\
                    #![cfg_attr(rustfmt, rustfmt_skip)]\n"
        .to_owned();
    let mut calls = String::new();
    for row in rows() {
        let lines: Vec<String> = [&row.edited(), "", row.main]
            .iter()
            .flat_map(|text| if text.is_empty() { vec![""] } else { text.trim().lines().collect() })
            .map(|line| if line.is_empty() { String::new() } else { format!("    {line}") })
            .collect();
        let name = row.name;
        let _ =
            writeln!(text, "\nmod {name} {{\n    use pardiff::differentiate;\n\n{}\n}}", lines.join("\n"));
        let _ = writeln!(calls, "    {name}::main();");
    }
    let _ = write!(
        text,
        "\nfn near(a: f64, b: f64) {{\n    assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), \"{{a}} {{b}}\");\n}}\n\
         \npub fn main() {{\n{calls}}}\n"
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ui/accepted/helps_followed.rs");
    if std::env::var_os("PARDIFF_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).expect("the file can be written");
    }
    let written = std::fs::read_to_string(&path).expect("the edited programs");
    assert!(written == text, "run this test with PARDIFF_UPDATE_DOCS=1, and read the difference");
}
