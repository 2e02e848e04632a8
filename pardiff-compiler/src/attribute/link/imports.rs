//! Imports of modules, and the names that patterns, blocks and parameters bind.

use super::unit::declared;
use crate::frontend;
use crate::visit::{self, Visit};
use std::collections::{HashMap, HashSet};
use syn::{Block, GenericParam, Generics, Ident, Item, Pat, Path, Stmt, UseTree};

/// Imports of a module.
#[derive(Default)]
pub(super) struct Imports {
    /// From crates that everybody sees.
    pub(super) names: HashMap<String, Path>,
    pub(super) globs: Vec<Path>,
    /// From elsewhere, as paths that the module may write.
    own_names: HashMap<String, Path>,
    pub(super) own_globs: Vec<Path>,
}

/// Crates whose paths mean the same everywhere.
pub(super) const KNOWN_CRATES: &str = "std core alloc libm statrs rayon ndarray pardiff num_traits";

impl Imports {
    pub(super) fn read(&mut self, tree: &UseTree, prefix: &mut Vec<Ident>) {
        match tree {
            // what follows is found without it as well
            UseTree::Path(tree) if tree.ident == "self" && prefix.is_empty() => {
                self.read(&tree.tree, prefix);
            }
            UseTree::Path(tree) => {
                prefix.push(tree.ident.clone());
                self.read(&tree.tree, prefix);
                prefix.pop();
            }
            UseTree::Group(tree) => tree.items.iter().for_each(|tree| self.read(tree, prefix)),
            UseTree::Name(tree) if tree.ident == "self" => {
                if let Some(name) = prefix.last().cloned() {
                    self.add(&name, prefix, None);
                }
            }
            UseTree::Name(tree) => self.add(&tree.ident, prefix, Some(&tree.ident)),
            UseTree::Rename(tree) => {
                self.add(&tree.rename, prefix, Some(&tree.ident).filter(|name| *name != "self"));
            }
            UseTree::Glob(_) => {
                let globs = match is_of_known_crate(prefix) {
                    true => &mut self.globs,
                    false => &mut self.own_globs,
                };
                globs.push(path_of(prefix.iter()));
            }
        }
    }

    fn add(&mut self, name: &Ident, prefix: &[Ident], last: Option<&Ident>) {
        let path = path_of(prefix.iter().chain(last));
        let names = match is_of_known_crate(prefix) {
            true => &mut self.names,
            false => &mut self.own_names,
        };
        names.insert(name.to_string(), path);
    }

    /// A path that begins with a name that is imported, with the path of that.
    pub(super) fn written_out(&self, path: &Path) -> Option<Path> {
        let first = path.segments.first()?;
        let mut full = self.own_names.get(&first.ident.to_string())?.clone();
        full.segments.last_mut()?.arguments = first.arguments.clone();
        full.segments.extend(path.segments.iter().skip(1).cloned());
        Some(full)
    }

    /// The same of a name that is imported under another one.
    pub(super) fn renamed(&self, path: &Path) -> Option<Path> {
        let first = &path.segments.first()?.ident;
        let of = self.own_names.get(&first.to_string())?;
        of.segments.last().filter(|last| last.ident != *first)?;
        self.written_out(path)
    }

    /// A path behind what is imported of a crate as a whole.
    pub(super) fn of_glob(&self, of_crate: &str, path: &Path) -> Option<Path> {
        let is_of_crate = |glob: &&Path| glob.segments.first().is_some_and(|first| first.ident == of_crate);
        let mut full = self.own_globs.iter().find(is_of_crate)?.clone();
        full.segments.extend(path.segments.iter().cloned());
        Some(full)
    }

    /// From here on the name is another one's.
    pub(super) fn forget(&mut self, name: &str) {
        self.own_names.remove(name);
    }

    /// Whether a path of the module is this one by its imports. A name that is imported alone is what it is
    /// imported as; one that is not, and that nothing in the module declares, is what a glob brings: a second glob
    /// with it would be an error.
    pub(super) fn means(&self, written: &Path, path: &Path) -> bool {
        let Some(first) = written.segments.first().filter(|_| written.leading_colon.is_none()) else {
            return false;
        };
        let name = first.ident.to_string();
        let behind = |front: &Path, skipped: usize| {
            let names = front.segments.iter().chain(written.segments.iter().skip(skipped));
            names.map(|segment| &segment.ident).eq(path.segments.iter().map(|segment| &segment.ident))
        };
        match self.own_names.get(&name) {
            Some(full) => behind(full, 1),
            None => !self.names.contains_key(&name) && self.own_globs.iter().any(|glob| behind(glob, 0)),
        }
    }
}

fn is_of_known_crate(names: &[Ident]) -> bool {
    names.first().is_some_and(|first| frontend::is_word(KNOWN_CRATES, &first.to_string()))
}

/// `std::f64::consts::PI`
fn path_of<'a>(names: impl Iterator<Item = &'a Ident>) -> Path {
    let segments = names.cloned().map(syn::PathSegment::from).collect();
    Path { leading_colon: None, segments }
}

/// The parameters of an item.
pub(super) fn parameters(generics: &Generics) -> HashSet<String> {
    let names = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(param.ident.to_string()),
        GenericParam::Const(param) => Some(param.ident.to_string()),
        GenericParam::Lifetime(_) => None,
    });
    names.collect()
}

/// A name for what a body imports from a module as a whole: any function may be among it.
pub(super) const ANY_FUNCTION: &str = "*";

/// A name for the constants of `f64::consts` and the like, imported as a whole.
pub(super) const ANY_CONSTANT: &str = "consts::*";

/// The variables of a pattern, which may fail or not.
pub(super) fn variables(pat: &Pat, may_fail: bool) -> HashSet<String> {
    struct Variables {
        names: HashSet<String>,
        may_fail: bool,
    }
    impl Visit for Variables {
        fn visitor(&mut self) -> &mut dyn Visit {
            self
        }

        fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
            if !self.may_fail || !is_constant(pat) {
                self.names.insert(pat.ident.to_string());
            }
            visit::visit_pat_ident(self, pat);
        }
    }
    let mut variables = Variables { names: HashSet::new(), may_fail };
    variables.visit_pat(pat);
    variables.names
}

/// The names of the items and imports of a block, which all of it sees.
pub(super) fn items_of(block: &Block) -> HashSet<String> {
    let mut all = Vec::new();
    for stmt in &block.stmts {
        match stmt {
            Stmt::Item(Item::Use(item)) => imported(&item.tree, &mut Vec::new(), &mut all),
            Stmt::Item(item) => all.extend(declared(&mut item.clone()).map(|(name, ..)| name.to_string())),
            _ => {}
        }
    }
    all.into_iter().collect()
}

/// The names that an import brings.
fn imported(tree: &UseTree, prefix: &mut Vec<Ident>, names: &mut Vec<String>) {
    match tree {
        UseTree::Path(tree) => {
            prefix.push(tree.ident.clone());
            imported(&tree.tree, prefix, names);
            prefix.pop();
        }
        UseTree::Group(tree) => tree.items.iter().for_each(|tree| imported(tree, prefix, names)),
        UseTree::Name(tree) => names.push(tree.ident.to_string()),
        UseTree::Rename(tree) => names.push(tree.rename.to_string()),
        UseTree::Glob(_) => {
            let last = prefix.last().map(Ident::to_string).unwrap_or_default();
            let is_known = is_of_known_crate(prefix);
            // the variants of an enum are no functions
            let any = match is_known {
                true if last == "consts" => Some(ANY_CONSTANT),
                false if !last.starts_with(char::is_uppercase) => Some(ANY_FUNCTION),
                _ => None,
            };
            names.extend(any.map(str::to_owned));
        }
    }
}

/// Whether a lone name in a pattern that may fail is that of a constant: it begins with a capital.
pub(super) fn is_constant(pat: &syn::PatIdent) -> bool {
    let alone = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
    alone && pat.ident.to_string().starts_with(char::is_uppercase) && pat.ident != "None"
}
