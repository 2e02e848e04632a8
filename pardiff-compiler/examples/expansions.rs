//! Expands every `#[differentiate]` item of files and folders, and writes what comes out, a statement a line.
//!
//! ```text
//! cargo run -p pardiff-compiler --example expansions -- [--cuda] OUT FILE_OR_FOLDER…
//! ```
//!
//! `OUT/<path of the file>/<name>.rs` holds the tokens of an item, `<name>.plan` its `DECISIONS`, and `OUT/table.md`
//! what each item costs: source lines, emitted lines, characters, processor time of the expansion.
//! `benches/expansions.sh` compares two revisions by it. With `--cuda` each item is expanded once more as if its
//! attribute named `cuda`.
//!
//! Which features of pardiff are on is read from the `Cargo.toml` above the file; `cuda` is on where an attribute names it.
//! Items in the arguments and rules of macros are found where those parse as items. An emitted line is a statement, the
//! head of a block or its end, wrapped at 78 columns as rustc's `-Zunpretty=expanded` does; source lines are those from `fn`
//! to the end, without attributes and documentation.

use pardiff_compiler::frontend::Features;
use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, thread};
use syn::visit::Visit;
use syn::{Attribute, ImplItemFn, ItemFn, ItemMod, Macro, Meta};

/// Columns at which a line is wrapped.
const COLUMNS: usize = 78;

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, paths): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let [out, sources @ ..] = &paths[..] else { return Err("which folder is written?".into()) };
    let out = Path::new(out);
    let cuda_too = flags.iter().any(|flag| flag == "--cuda");
    let mut files = Vec::new();
    sources.iter().try_for_each(|source| rust_files(Path::new(source), &mut files))?;
    let mut rows = Vec::new();
    for file in files {
        // a thread a file, as rustc has a process a crate; its stack is that of rustc or more
        let (out, file) = (out.to_owned(), file.clone());
        let run = move || expand_file(&out, &file, cuda_too).map_err(|error| error.to_string());
        let expanded = thread::Builder::new().stack_size(256 << 20).spawn(run)?;
        rows.extend(expanded.join().map_err(|_| "an expansion panicked")??);
    }
    fs::write(out.join("table.md"), table(&rows))?;
    println!("{} expansions in {}", rows.len(), out.display());
    Ok(())
}

/// The `.rs` files of a folder and of those below it, in order; build folders are left out.
fn rust_files(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.is_file() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> = fs::read_dir(path)?.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let is_source = |path: &Path| path.extension().is_some_and(|it| it == "rs");
    for entry in entries {
        if entry.is_dir() && !entry.ends_with("target") || is_source(&entry) {
            rust_files(&entry, files)?;
        }
    }
    Ok(())
}

/// What an expansion costs.
struct Row {
    name: String,
    refused: bool,
    source_lines: usize,
    lines: usize,
    characters: usize,
    milliseconds: f64,
}

/// An item under the attribute: its name, the attribute's arguments, the item without it.
struct Found {
    name: String,
    arguments: TokenStream,
    item: TokenStream,
    lines: usize,
}

fn expand_file(out: &Path, file: &Path, cuda_too: bool) -> Result<Vec<Row>, Box<dyn Error>> {
    let source = fs::read_to_string(file)?;
    let Ok(parsed) = syn::parse_file(&source) else { return Ok(Vec::new()) };
    let mut items = Items(Vec::new());
    items.visit_file(&parsed);
    let (features, mut taken, mut rows) = (features_of(file), HashMap::new(), Vec::new());
    for found in items.0 {
        let count = taken.entry(found.name.clone()).and_modify(|count| *count += 1).or_insert(1);
        let name = if *count == 1 { found.name.clone() } else { format!("{}_{count}", found.name) };
        let names_cuda = found.arguments.to_string().contains("cuda");
        let mut variants = vec![(name.clone(), names_cuda, found.arguments.clone())];
        if cuda_too && !names_cuda {
            let arguments = &found.arguments;
            let comma = (!arguments.is_empty()).then(|| quote::quote!(,));
            variants.push((format!("{name}.cuda"), true, quote::quote!(cuda #comma #arguments)));
        }
        let folder = out.join(file.strip_prefix("/").unwrap_or(file)).with_extension("");
        fs::create_dir_all(&folder)?;
        for (name, cuda, arguments) in variants {
            let features = Features { cuda: cuda || features.cuda, ..features };
            let before = processor_time();
            let tokens = pardiff_compiler::expand_with(features, arguments, found.item.clone());
            let milliseconds = (processor_time() - before) * 1e3;
            let mut text = Printer::default();
            text.tokens(tokens.clone());
            fs::write(folder.join(format!("{name}.rs")), &text.text)?;
            fs::write(folder.join(format!("{name}.plan")), plans(tokens.clone()))?;
            rows.push(Row {
                name: format!("{}::{name}", file.with_extension("").display()),
                refused: text.text.contains("compile_error !"),
                source_lines: found.lines,
                lines: text.text.lines().count(),
                characters: tokens.to_string().len(),
                milliseconds,
            });
        }
    }
    Ok(rows)
}

/// The features of pardiff in the nearest `Cargo.toml` above a file.
fn features_of(file: &Path) -> Features {
    let manifest = file.ancestors().skip(1).find_map(|it| fs::read_to_string(it.join("Cargo.toml")).ok());
    let manifest = manifest.unwrap_or_default();
    let line = manifest.lines().find(|line| line.starts_with("pardiff = {")).unwrap_or_default();
    let has = |feature: &str| line.contains(&format!("\"{feature}\""));
    Features {
        ndarray: has("ndarray"),
        cuda: has("cuda"),
        gemm: has("gemm"),
        num_traits: has("num-traits"),
        num_complex: has("num-complex"),
        glam: has("glam"),
        nalgebra: has("nalgebra"),
    }
}

/// Seconds that this thread ran, by Linux's count; 0 elsewhere.
fn processor_time() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).map_or(0.0, |it| it * 1e-9)
}

/// The annotated items of a file, outermost ones alone: an annotated module expands what is annotated in it.
struct Items(Vec<Found>);

impl Items {
    /// Takes the attribute off an item; whether it has one.
    fn take<T: ToTokens>(
        &mut self,
        name: String,
        attributes: &mut Vec<Attribute>,
        rest: impl Fn(&[Attribute]) -> T,
    ) -> bool {
        let is_ours = |attribute: &Attribute| {
            let last = attribute.path().segments.last().map(|last| last.ident.to_string());
            matches!(last.as_deref(), Some("differentiate" | "gradient_of"))
        };
        let Some(at) = attributes.iter().position(is_ours) else { return false };
        let arguments = match attributes.remove(at).meta {
            Meta::List(list) => list.tokens,
            _ => TokenStream::new(),
        };
        let item = rest(attributes).into_token_stream();
        let lines = line_count(&rest(&[]).into_token_stream());
        self.0.push(Found { name, arguments, item, lines });
        true
    }
}

impl<'ast> Visit<'ast> for Items {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        let mut attributes = item.attrs.clone();
        let rest = |attrs: &[Attribute]| ItemFn { attrs: attrs.to_vec(), ..item.clone() };
        if !self.take(item.sig.ident.to_string(), &mut attributes, rest) {
            syn::visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let mut attributes = item.attrs.clone();
        let rest = |attrs: &[Attribute]| ItemMod { attrs: attrs.to_vec(), ..item.clone() };
        if !self.take(item.ident.to_string(), &mut attributes, rest) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        let mut attributes = item.attrs.clone();
        let rest = |attrs: &[Attribute]| ImplItemFn { attrs: attrs.to_vec(), ..item.clone() };
        if !self.take(item.sig.ident.to_string(), &mut attributes, rest) {
            syn::visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.visit_tokens(item.tokens.clone());
    }
}

impl Items {
    /// Looks for items in the tokens of a macro, and in the braces of those that are none.
    fn visit_tokens(&mut self, tokens: TokenStream) {
        if let Ok(file) = syn::parse2::<syn::File>(tokens.clone()) {
            // what was found lives as long as the visitor's borrow of the file alone
            let mut inner = Items(Vec::new());
            inner.visit_file(&file);
            self.0.extend(inner.0);
            return;
        }
        for tree in tokens {
            if let TokenTree::Group(group) = tree {
                self.visit_tokens(group.stream());
            }
        }
    }
}

/// Lines from the first token of an item to its last.
fn line_count(item: &TokenStream) -> usize {
    let mut trees = item.clone().into_iter();
    let Some(first) = trees.next() else { return 0 };
    let last = trees.last().unwrap_or_else(|| first.clone());
    1 + last.span().end().line.saturating_sub(first.span().start().line)
}

/// The texts of all `DECISIONS` in tokens.
fn plans(tokens: TokenStream) -> String {
    let (mut text, mut after_plan) = (String::new(), false);
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => text += &plans(group.stream()),
            TokenTree::Ident(name) if name == "DECISIONS" => after_plan = true,
            TokenTree::Punct(punct) if punct.as_char() == ';' => after_plan = false,
            TokenTree::Literal(literal) if after_plan => {
                let literal: Result<syn::LitStr, _> = syn::parse2(literal.into_token_stream());
                text += &literal.map_or_else(|_| String::new(), |it| it.value());
            }
            _ => {}
        }
    }
    text
}

/// Writes tokens with a line for each statement, head of a block and end of one.
#[derive(Default)]
struct Printer {
    text: String,
    line: String,
    depth: usize,
    /// Whether parentheses or brackets are open, in which no statement ends.
    in_list: bool,
}

impl Printer {
    fn tokens(&mut self, tokens: TokenStream) {
        let mut glued = true;
        let mut is_attribute = false;
        let mut trees = tokens.into_iter().peekable();
        while let Some(tree) = trees.next() {
            match tree {
                TokenTree::Group(group) => {
                    self.group(&group, trees.peek());
                    if std::mem::take(&mut is_attribute) {
                        self.end_line();
                    }
                    glued = group.delimiter() == Delimiter::None;
                }
                TokenTree::Punct(punct) => {
                    let sign = punct.as_char();
                    self.word(&sign.to_string(), glued || matches!(sign, ';' | ',' | '.' | '?'));
                    glued = punct.spacing() == Spacing::Joint || matches!(sign, '.' | '&' | '#');
                    is_attribute = sign == '#' && !self.in_list;
                    if sign == ';' && !self.in_list {
                        self.end_line();
                    }
                }
                other => {
                    self.word(&other.to_string(), glued);
                    glued = false;
                }
            }
        }
    }

    fn group(&mut self, group: &Group, next: Option<&TokenTree>) {
        if group.delimiter() == Delimiter::Brace {
            return self.block(group.stream(), next);
        }
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Bracket => ("[", "]"),
            _ => ("", ""),
        };
        let outer = self.in_list;
        self.in_list |= !open.is_empty();
        self.word(open, true);
        self.tokens(group.stream());
        self.word(close, true);
        self.in_list = outer;
    }

    fn block(&mut self, tokens: TokenStream, next: Option<&TokenTree>) {
        self.word("{", false);
        if !tokens.is_empty() {
            self.end_line();
            self.depth += 1;
            let outer = std::mem::replace(&mut self.in_list, false);
            self.tokens(tokens);
            self.in_list = outer;
            self.end_line();
            self.depth -= 1;
        }
        self.word("}", true);
        let goes_on = match next {
            Some(TokenTree::Punct(punct)) => !matches!(punct.as_char(), '#' | '*'),
            Some(TokenTree::Ident(name)) => name == "else",
            _ => self.in_list,
        };
        if !goes_on {
            self.end_line();
        }
    }

    fn word(&mut self, word: &str, glued: bool) {
        if !self.line.is_empty() && !glued {
            self.line.push(' ');
        }
        if self.line.len() + word.len() > COLUMNS && word.len() > 1 {
            self.end_line();
        }
        self.line += word;
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if !line.trim().is_empty() {
            let _ = writeln!(self.text, "{:indent$}{}", "", line.trim(), indent = 2 * self.depth);
        }
    }
}

/// The rows as a table, with what they come to in the geometric mean and in all.
fn table(rows: &[Row]) -> String {
    let mut text =
        "| item | source lines | emitted lines | a source line | characters | expansion, ms |\n".to_owned();
    text += "| --- | --- | --- | --- | --- | --- |\n";
    let per_line = |row: &Row| row.lines as f64 / row.source_lines.max(1) as f64;
    for row in rows {
        let Row { name, source_lines, lines, characters, milliseconds, .. } = row;
        let name = if row.refused { format!("{name} (refused)") } else { name.clone() };
        let per_line = per_line(row);
        let _ = writeln!(
            text,
            "| {name} | {source_lines} | {lines} | {per_line:.1} | {characters} | {milliseconds:.1} |"
        );
    }
    let accepted: Vec<&Row> = rows.iter().filter(|row| !row.refused).collect();
    let mean = accepted.iter().map(|row| per_line(row).ln()).sum::<f64>() / accepted.len().max(1) as f64;
    let _ = writeln!(
        text,
        "\n{} accepted of {}: {} source lines, {} emitted lines, {:.1} a source line in the geometric mean; {:.0} ms",
        accepted.len(),
        rows.len(),
        accepted.iter().map(|row| row.source_lines).sum::<usize>(),
        accepted.iter().map(|row| row.lines).sum::<usize>(),
        mean.exp(),
        rows.iter().map(|row| row.milliseconds).sum::<f64>(),
    );
    text
}
