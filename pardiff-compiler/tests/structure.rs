//! What the source text of the compiler promises about itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

/// At most how many `match`es on the kind of a statement outside `ir` may have a wildcard.
const WILDCARD_MATCHES: usize = 59;

/// The same of all forms: with `if let`, `let … else` and `matches!`.
const WILDCARDS: usize = 154;

/// A pass that matches on the kinds of statements and has a wildcard says nothing of a kind that is added later: it is
/// taken for whatever the wildcard takes it for. Passes ask a statement for its effects, its blocks, or whether it is the
/// one construct that they are about; whoever needs a match says something about every kind.
///
/// Counted is each `match`, `if let`, `while let`, `let … else` and `matches!`, outside `ir` and outside tests, with a
/// pattern that names a kind, `StmtKind::…`, and that passes over kinds it does not name: a `match` with an arm that names
/// none and has a wildcard, and all of the others.
#[test]
fn few_matches_on_statements_have_a_wildcard() {
    let mut found = Vec::new();
    for file in sources() {
        let path = file.path.display().to_string();
        if !path.starts_with("ir/") {
            let mut matches = Matches { path, ..Matches::default() };
            matches.visit_file(&file.syntax);
            found.append(&mut matches.found);
        }
    }
    let of_match = found.iter().filter(|it| it.ends_with(": match")).count();
    assert!(of_match <= WILDCARD_MATCHES, "{of_match} matches with a wildcard:\n{}", found.join("\n"));
    assert!(found.len() <= WILDCARDS, "{} wildcards:\n{}", found.len(), found.join("\n"));
}

/// At most how many lines a file may have, those of its tests among them.
const MOST_LINES: usize = 500;

/// A file is about one concept; one that grows beyond this is about more.
#[test]
fn files_are_short() {
    let long: Vec<PathBuf> =
        sources().into_iter().filter(|file| file.lines > MOST_LINES).map(|file| file.path).collect();
    assert!(long.is_empty(), "over {MOST_LINES} lines: {long:?}");
}

/// The folders of the compiler, and its single files, each above what it may name.
const LAYERS: &[&[&str]] = &[
    &["limits", "map", "ndarray", "refusal", "steps", "visit"],
    &["ir"],
    &["equivalence", "poly", "signature"],
    &["simplify"],
    &["frontend", "normalise"],
    &["bounds", "hoist"],
    &["schedule"],
    &["adjoint"],
    &["modes"],
    &["plan"],
    &["backend"],
    &["gpu"],
    &["lib"],
    &["attribute"],
];

/// What every folder with passes names, and what passes hand on to each other.
const RUNNER: &str = "pass";

/// Arrows go one way: what stands in a lower layer knows nothing of what is above.
#[test]
fn folders_name_lower_layers_only() {
    let layer = |name: &str| LAYERS.iter().position(|layer| layer.contains(&name));
    let mut wrong = Vec::new();
    for file in sources() {
        let path = file.path.with_extension("");
        let own = path.iter().next().and_then(|part| part.to_str()).expect("a name").to_owned();
        if own == RUNNER {
            continue;
        }
        let from = layer(&own).unwrap_or_else(|| panic!("`{own}` stands in no layer"));
        let mut named = Named::default();
        named.visit_file(&file.syntax);
        for name in named.0.into_iter().filter(|name| *name != own && name != RUNNER) {
            // the crate's own functions are those of `lib.rs`
            let to = layer(&name).or(layer("lib")).expect("a layer");
            if to >= from {
                wrong.push(format!("{} names `{name}`", file.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Users wait for the dependencies of the compiler and of the runtime.
#[test]
fn dependencies_are_few() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (package, most) in [(".", &["proc-macro2", "quote", "syn"][..]), ("../pardiff-runtime", &[])] {
        let text = fs::read_to_string(root.join(package).join("Cargo.toml")).expect("a manifest");
        let (_, behind) = text.split_once("[dependencies]\n").expect("dependencies");
        let lines = behind.lines().take_while(|line| !line.starts_with('['));
        let required = lines.filter(|line| line.contains('=') && !line.contains("optional = true"));
        let names: Vec<&str> =
            required.filter_map(|line| line.split(['=', '.']).next()).map(str::trim).collect();
        assert_eq!(names, most, "{package}");
    }
    let runtime = fs::read_to_string(root.join("../pardiff-runtime/Cargo.toml")).expect("a manifest");
    for line in ["default = [\"parallel\"]", "parallel = [\"dep:rayon\"]"] {
        assert!(runtime.lines().any(|it| it == line), "no `{line}`");
    }
}

/// The names behind `crate::`, outside tests.
#[derive(Default)]
struct Named(BTreeSet<String>);

impl Named {
    fn add(&mut self, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(it) => _ = self.0.insert(it.ident.to_string()),
            syn::UseTree::Name(it) => _ = self.0.insert(it.ident.to_string()),
            syn::UseTree::Rename(it) => _ = self.0.insert(it.ident.to_string()),
            syn::UseTree::Glob(_) => {}
            syn::UseTree::Group(group) => group.items.iter().for_each(|it| self.add(it)),
        }
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !of_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_use_path(&mut self, path: &'ast syn::UsePath) {
        if path.ident == "crate" {
            self.add(&path.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut parts = path.segments.iter();
        if parts.next().is_some_and(|first| first.ident == "crate") {
            self.0.extend(parts.next().map(|second| second.ident.to_string()));
        }
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !of_tests(&item.attrs) {
            visit::visit_item_use(self, item);
        }
    }
}

struct Source {
    /// From `src`.
    path: PathBuf,
    lines: usize,
    syntax: syn::File,
}

/// The files of the compiler but for those of tests.
fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut folders, mut all) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
            if name == "tests" || name.ends_with("_tests") {
            } else if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let text = fs::read_to_string(&path).expect("a text");
                let syntax = syn::parse_file(&text).expect("Rust");
                let path = path.strip_prefix(&root).expect("below it").into();
                all.push(Source { path, lines: text.lines().count(), syntax });
            }
        }
    }
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

/// The matches on kinds of statements that have a wildcard.
#[derive(Default)]
struct Matches {
    path: String,
    found: Vec<String>,
}

impl Matches {
    fn add(&mut self, what: &str, at: proc_macro2::Span) {
        self.found.push(format!("{}:{}: {what}", self.path, at.start().line));
    }
}

impl<'ast> Visit<'ast> for Matches {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !of_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !of_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut renames = Renames(false);
        renames.visit_item_use(item);
        assert!(!renames.0, "{}: a kind of statements is named `StmtKind::…`", self.path);
    }

    fn visit_expr_match(&mut self, expr: &'ast syn::ExprMatch) {
        let takes_others = |arm: &syn::Arm| !names_a_kind(&arm.pat) && has_wildcard(&arm.pat);
        if expr.arms.iter().any(|arm| names_a_kind(&arm.pat)) && expr.arms.iter().any(takes_others) {
            self.add("match", expr.match_token.span);
        }
        visit::visit_expr_match(self, expr);
    }

    fn visit_expr_let(&mut self, expr: &'ast syn::ExprLet) {
        if names_a_kind(&expr.pat) {
            self.add("let", expr.let_token.span);
        }
        visit::visit_expr_let(self, expr);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if local.init.as_ref().is_some_and(|init| init.diverge.is_some()) && names_a_kind(&local.pat) {
            self.add("let else", local.let_token.span);
        }
        visit::visit_local(self, local);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let name = call.path.segments.last().map(|it| it.ident.to_string()).unwrap_or_default();
        if name == "matches" {
            let (of, pat, guard) =
                operands_of_matches.parse2(call.tokens.clone()).expect("operands of `matches!`");
            if names_a_kind(&pat) {
                self.add("matches!", call.path.segments[0].ident.span());
            }
            [Some(of), guard].iter().flatten().for_each(|part| self.visit_expr(part));
        } else if let Ok(parts) =
            Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated.parse2(call.tokens.clone())
        {
            parts.iter().for_each(|part| self.visit_expr(part));
        }
    }
}

fn operands_of_matches(input: ParseStream) -> syn::Result<(syn::Expr, syn::Pat, Option<syn::Expr>)> {
    let of = input.parse()?;
    input.parse::<syn::Token![,]>()?;
    let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
    let guard = input.parse::<Option<syn::Token![if]>>()?;
    let guard = guard.map(|_| input.parse()).transpose()?;
    input.parse::<Option<syn::Token![,]>>()?;
    Ok((of, pat, guard))
}

/// Whether an item is compiled for tests alone.
fn of_tests(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let mut tests = attr.path().is_ident("test");
        if attr.path().is_ident("cfg") {
            _ = attr.parse_nested_meta(|meta| {
                tests |= meta.path.is_ident("test");
                Ok(())
            });
        }
        tests
    })
}

/// Whether a pattern names a kind of statements.
fn names_a_kind(pat: &syn::Pat) -> bool {
    struct Names(bool);
    impl<'ast> Visit<'ast> for Names {
        fn visit_path(&mut self, path: &'ast syn::Path) {
            self.0 |= path.segments.iter().rev().skip(1).any(|it| it.ident == "StmtKind");
        }
    }
    let mut names = Names(false);
    names.visit_pat(pat);
    names.0
}

/// Whether a pattern, or a part of it, accepts whatever is there.
fn has_wildcard(pat: &syn::Pat) -> bool {
    struct Wildcards(bool);
    impl<'ast> Visit<'ast> for Wildcards {
        fn visit_pat(&mut self, pat: &'ast syn::Pat) {
            self.0 |= matches!(pat, syn::Pat::Wild(_) | syn::Pat::Ident(_) | syn::Pat::Rest(_));
            visit::visit_pat(self, pat);
        }
    }
    let mut wildcards = Wildcards(false);
    wildcards.visit_pat(pat);
    wildcards.0
}

/// Whether `use` gives a kind, or the type of the kinds, another name.
struct Renames(bool);

impl<'ast> Visit<'ast> for Renames {
    fn visit_use_path(&mut self, path: &'ast syn::UsePath) {
        self.0 |= path.ident == "StmtKind";
        visit::visit_use_path(self, path);
    }

    fn visit_use_rename(&mut self, rename: &'ast syn::UseRename) {
        self.0 |= rename.ident == "StmtKind";
    }
}
