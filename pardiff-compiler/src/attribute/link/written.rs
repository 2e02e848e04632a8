//! What is generated, with the names that are seen where it stands.

use super::super::known_crates::{Found, KnownTypes};
use super::Sources;
use super::scope::seen_inside;
use crate::backend::rust::{is_relative, respan};
use crate::frontend::known_crates::Instance;
use crate::frontend::linked;
use crate::ir::Ty;
use crate::refusal::Refusal;
use proc_macro2::{Group, Literal, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use syn::spanned::Spanned;
use syn::{Expr, Ident, Item, Macro, Path, PathArguments, Type, Visibility};

/// How the user writes what it uses.
#[derive(Clone, Default)]
pub(in super::super) struct Written {
    /// Types, by their unique names.
    paths: HashMap<String, Path>,
    /// Whether it stands in the module under the attribute.
    is_inside: bool,
    pub(super) proofs: Vec<Proof>,
    /// Types of known crates.
    known: BTreeSet<Instance>,
    /// The float that type parameters between the brackets of such types stand for.
    float: Option<Ty>,
}

/// That two paths name one item.
#[derive(Clone)]
pub(super) enum Proof {
    Function(Path, Path),
    Type(Path, Path),
    /// A type, with `_` for arguments that are not written, that a trait of the runtime holds for, with that type.
    Known(Path, Path, Path),
    /// A macro that makes a value, whose type a trait of the runtime holds for, with that type.
    Macro(Macro, Path, Path),
    /// A name, and the type whose constant it is.
    Constant(Ident, Ty),
}

impl ToTokens for Proof {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            // each function has a type of its own
            Proof::Function(a, b) => quote! {
                const _: fn() = || {
                    fn is_the_one_that_is_used<F>(_: F, _: F) {}
                    is_the_one_that_is_used(#a, #b);
                };
            },
            Proof::Type(a, b) => quote!(const _: fn(#a) -> #b = |it| it;),
            Proof::Macro(made, is, ty) => quote! {
                const _: fn() = || {
                    fn is_known<A: #is<B>, B>(_: fn() -> A) {}
                    is_known::<_, #ty>(|| #made);
                };
            },
            Proof::Constant(name, ty) => {
                let module = Ident::new(&ty.to_string(), name.span());
                let text = format!(
                    "`{name}`, which an exported item sees where it stands, is not that of `{ty}::consts`: write \
                     `#[differentiate(export)]` before it and `uses({name})` beside that `export`"
                );
                quote!(const _: () = assert!(#module::to_bits(#name) == #module::to_bits(::core::#module::consts::#name), #text);)
            }
            Proof::Known(a, is, b) => quote! {
                const _: fn() = || {
                    fn is_known<A: #is<B>, B>() {}
                    is_known::<#a, #b>();
                };
            },
        });
    }
}

impl Written {
    /// Of what stands in the module under the attribute.
    pub(in super::super) fn inside() -> Written {
        Written { is_inside: true, ..Written::default() }
    }

    /// A type that is written so.
    pub(in super::super) fn path(&mut self, unique: &Ident, path: Path) {
        self.paths.entry(unique.to_string()).or_insert(path);
    }

    /// What type parameters stand for that types of known crates have, if some do.
    pub(in super::super) fn float(&self) -> Option<Ty> {
        self.float
    }

    /// Types of known crates that are named.
    pub(in super::super) fn known(&self) -> impl Iterator<Item = &Instance> {
        self.known.iter()
    }

    /// A type of a known crate that a function returns.
    pub(super) fn returned(&mut self, of: Instance) {
        self.known.insert(of);
    }

    /// A value of a type of a known crate that a macro makes.
    pub(super) fn made(&mut self, known: &KnownTypes, of: Instance, zeros: Macro) {
        self.proofs.push(Proof::Macro(zeros, known.proof(), known.path(&of)));
        self.known.insert(of);
    }

    /// A path that is the type of `nalgebra` around values of unit length.
    pub(super) fn unit(&mut self, known: &KnownTypes, mut written: Path) {
        let vector = Instance::matrix("f64", 3, 1);
        let (inner, of) = (known.path(&vector), vector.unit().map(|unit| known.path(&unit)));
        if let Some(last) = written.segments.last_mut() {
            last.arguments = PathArguments::AngleBracketed(syn::parse_quote!(<#inner>));
        }
        self.proofs.extend(of.map(|of| Proof::Known(written, known.proof(), of)));
    }

    /// A path that is such a type of a known crate in any size.
    pub(super) fn sized(&mut self, known: &KnownTypes, mut written: Path, of: &Instance) {
        if let Some(last) = written.segments.last_mut() {
            last.arguments = of.sized_arguments();
        }
        self.proofs.push(Proof::Known(written, known.proof(), known.path(of)));
    }

    /// A type of a known crate that is written so.
    pub(super) fn found(&mut self, known: &KnownTypes, found: &Found, mut written: Path) {
        let of = known.path(&found.instance);
        self.float = self.float.or(found.of_parameter.and_then(Ty::from_name));
        if let Some(last) = written.segments.last_mut() {
            known.close(&mut last.arguments);
        }
        let proof = match &found.function {
            Some(_) => {
                let mut function = of;
                function.segments.pop();
                function.segments.extend(written.segments.last().cloned());
                for path in [&mut written, &mut function] {
                    if let Some(last) = path.segments.last_mut() {
                        last.arguments = found.instance.arguments_of_functions();
                    }
                }
                Proof::Function(written, function)
            }
            None => {
                if let Some(last) = written.segments.last_mut().filter(|_| found.open > 0) {
                    let open = std::iter::repeat_n(quote!(_), found.open);
                    last.arguments = PathArguments::AngleBracketed(syn::parse_quote!(<#(#open),*>));
                }
                Proof::Known(written, known.proof(), of)
            }
        };
        self.proofs.push(proof);
        self.known.insert(found.instance.clone());
    }

    pub(in super::super) fn extend(&mut self, other: Written) {
        self.known.extend(other.known);
        self.float = self.float.or(other.float);
        for (name, path) in other.paths {
            self.paths.entry(name).or_insert(path);
        }
        self.proofs.extend(other.proofs);
    }

    /// The proofs, each once.
    pub(in super::super) fn proofs(&self) -> TokenStream {
        let proofs = self.proofs.iter().map(|proof| proof.to_token_stream());
        let distinct: BTreeMap<String, TokenStream> =
            proofs.map(|proof| (proof.to_string(), proof)).collect();
        distinct.into_values().collect()
    }

    /// The tokens with the user's names, and what is refused of the types in them; `file` is where they stand.
    pub(in super::super) fn emitted(
        &self,
        tokens: TokenStream,
        sources: &Sources,
        file: &str,
    ) -> (TokenStream, Vec<Refusal>) {
        let mut emission =
            Emission { written: self, sources, file, refused: BTreeMap::new(), aliases: BTreeMap::new() };
        let tokens = emission.tokens(tokens);
        let aliases = emission
            .aliases
            .iter()
            .map(|(name, path)| quote!(#[allow(non_camel_case_types)] #[doc(hidden)] type #name = #path;));
        let tokens = quote!(#tokens #(#aliases)*);
        let refused: Vec<Refusal> = emission.refused.into_values().collect();
        (if refused.is_empty() { tokens } else { TokenStream::new() }, refused)
    }
}

struct Emission<'a> {
    written: &'a Written,
    sources: &'a Sources,
    file: &'a str,
    /// By the names of types.
    refused: BTreeMap<String, Refusal>,
    /// Types whose paths begin with what may be a crate, which is not seen through `super`.
    aliases: BTreeMap<Ident, Path>,
}

impl<'a> Emission<'a> {
    fn tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let mut out: Vec<TokenTree> = Vec::new();
        for token in tokens {
            match token {
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.tokens(group.stream()));
                    inner.set_span(group.span());
                    out.push(TokenTree::Group(inner));
                }
                TokenTree::Ident(ident) if linked::is_unique(&ident.to_string()) => {
                    self.name(ident, &mut out)
                }
                TokenTree::Ident(ident) if linked::is_elsewhere(&ident.to_string()) => {
                    self.refused.insert(ident.to_string(), of_a_constant(&ident));
                }
                TokenTree::Literal(literal) => out.push(TokenTree::Literal(plain(literal))),
                token => out.push(token),
            }
        }
        out.into_iter().collect()
    }

    /// A type or a function by its path, a length by its value; variables and other constants keep their names,
    /// which are unique.
    fn name(&mut self, ident: Ident, out: &mut Vec<TokenTree>) {
        let name = ident.to_string();
        if let Some(value) = self.length(&name).filter(|_| !is_declared_or_in_path(out)) {
            return out.extend(self.tokens(value));
        }
        let Some((item, file)) = self.declaration(&name) else { return out.push(TokenTree::Ident(ident)) };
        match self.path(&name) {
            Some(path) => {
                let is_nested = self.is_nested(&name);
                if let Some(field) = private_field(item).filter(|_| is_nested || file != self.file) {
                    self.refused.insert(name, private(&path, &field));
                }
                let first = path.segments.first().map(|first| first.ident.to_string()).unwrap_or_default();
                let is_inside = behind_super(out);
                let mut path = path;
                let may_begin_with_crate = path.segments.len() > 1 && is_relative(&path) && !is_nested;
                if is_inside && may_begin_with_crate && !has_parameters(item) {
                    self.aliases.insert(ident.clone(), path);
                    return out.push(TokenTree::Ident(ident));
                }
                if path.leading_colon.is_some() || ["crate", "$crate"].contains(&first.as_str()) {
                    while behind_super(out) {
                        out.truncate(out.len() - 3);
                    }
                } else if first == "self" && is_inside {
                    path.segments = path.segments.into_iter().skip(1).collect();
                }
                out.extend(respan(path.to_token_stream()));
            }
            None => {
                self.refused.insert(name.clone(), unnamed(&ident, item));
                out.push(TokenTree::Ident(ident));
            }
        }
    }

    /// What a constant of this name is, if it may be the length of an array: signatures name it, where no body
    /// declares it.
    fn length(&self, name: &str) -> Option<TokenStream> {
        let mut items =
            self.sources.used.iter().flat_map(|source| &source.units).flat_map(|unit| &unit.items);
        items.find_map(|item| match item {
            Item::Const(item) if item.ident == name && is_usize(&item.ty) => {
                let value = &item.expr;
                Some(if matches!(**value, Expr::Lit(_)) { quote!(#value) } else { quote!((#value)) })
            }
            _ => None,
        })
    }

    /// The type or the function of this name, and the file that it stands in.
    fn declaration(&self, name: &str) -> Option<(&'a Item, &'a str)> {
        let mut units = self.sources.used.iter().flat_map(|source| &source.units);
        units.find_map(|unit| {
            let of_name = |item: &&Item| named(item).is_some_and(|(ident, _)| ident == name);
            Some((unit.items.iter().find(of_name)?, unit.file.as_str()))
        })
    }

    /// How the user writes it, or as `uses` names it.
    fn path(&self, name: &str) -> Option<Path> {
        self.written.paths.get(name).cloned().or_else(|| {
            self.sources.used.iter().find_map(|source| {
                let unit = source.units.first()?;
                let of_name =
                    |item: &Item| named(item).filter(|(ident, _)| *ident == name).map(|it| it.1.clone());
                let vis = unit.items.iter().find_map(of_name)?;
                let mut path = source.path.clone();
                if unit.is_module {
                    let is_private = matches!(vis, Visibility::Inherited);
                    let last = Ident::new(&linked::plain(name), path.span());
                    path.segments.push(Some(last).filter(|_| !is_private)?.into());
                }
                Some(if self.written.is_inside && !source.is_inside { seen_inside(path) } else { path })
            })
        })
    }

    /// Whether an item stands in a module in the module under the attribute.
    fn is_nested(&self, name: &str) -> bool {
        let has = |item: &Item| named(item).is_some_and(|(ident, _)| ident == name);
        let mut nested = self.sources.used.iter().filter(|source| source.is_inside);
        nested.any(|source| source.units.first().is_some_and(|unit| unit.items.iter().any(has)))
    }
}

/// The name of what generated code may name: types, traits, and functions with rules.
fn named(item: &Item) -> Option<(&Ident, &Visibility)> {
    Some(match item {
        Item::Struct(item) => (&item.ident, &item.vis),
        Item::Enum(item) => (&item.ident, &item.vis),
        Item::Trait(item) => (&item.ident, &item.vis),
        Item::Fn(item) => (&item.sig.ident, &item.vis),
        _ => return None,
    })
}

/// Whether the tokens end with `super ::`.
fn behind_super(out: &[TokenTree]) -> bool {
    let is = |token: &TokenTree, c| matches!(token, TokenTree::Punct(punct) if punct.as_char() == c);
    match out {
        [.., TokenTree::Ident(ident), first, second] => ident == "super" && is(first, ':') && is(second, ':'),
        _ => false,
    }
}

/// Whether the tokens end with `const` or `::`.
fn is_declared_or_in_path(out: &[TokenTree]) -> bool {
    match out.last() {
        Some(TokenTree::Ident(ident)) => ident == "const",
        Some(TokenTree::Punct(punct)) => punct.as_char() == ':' && is_joined(&out[..out.len() - 1]),
        _ => false,
    }
}

/// Whether the tokens end with the first half of `::`.
fn is_joined(out: &[TokenTree]) -> bool {
    matches!(out.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint)
}

fn is_usize(ty: &Type) -> bool {
    matches!(ty, Type::Path(ty) if ty.qself.is_none() && ty.path.is_ident("usize"))
}

fn plain(literal: Literal) -> Literal {
    let text = literal.to_string();
    let short = linked::plain(&text);
    if short == text {
        return literal;
    }
    let mut plain: Literal = short.parse().unwrap_or_else(|_| literal.clone());
    plain.set_span(literal.span());
    plain
}

fn has_parameters(item: &Item) -> bool {
    match item {
        Item::Struct(item) => !item.generics.params.is_empty(),
        Item::Enum(item) => !item.generics.params.is_empty(),
        _ => true,
    }
}

fn private_field(item: &Item) -> Option<String> {
    let Item::Struct(item) = item else { return None };
    // the runtime takes the members of such a type
    if item.attrs.iter().any(|attr| attr.path().is_ident("private")) {
        return None;
    }
    let mut fields = item.fields.iter().enumerate();
    let (at, field) = fields.find(|(_, field)| matches!(field.vis, Visibility::Inherited))?;
    Some(field.ident.as_ref().map_or_else(|| at.to_string(), ToString::to_string))
}

fn private(path: &Path, field: &str) -> Refusal {
    let of = path.to_token_stream().to_string().replace(' ', "");
    Refusal::new(
        path.span(),
        format!("the private field `{field}` of `{of}`"),
        "generated code reads and writes each field, and stands where this function does",
        format!("write `pub` before `{field}` in `{of}`, or put this item into its module"),
    )
}

fn of_a_constant(at: &Ident) -> Refusal {
    let name = linked::plain(&at.to_string());
    Refusal::new(
        at.span(),
        format!("`{name}`, which an exported constant sees where it stands"),
        "here the name means something else",
        format!("write `#[differentiate(export)]` before it and `uses({name})` beside that `export`"),
    )
}

fn unnamed(at: &Ident, item: &Item) -> Refusal {
    let name = linked::plain(&at.to_string());
    let (what, why) = match item {
        Item::Fn(_) => ("function", "it has a rule, and generated code calls it"),
        _ => ("type", "generated code makes values of it"),
    };
    Refusal::new(
        at.span(),
        format!("the {what} `{name}`, which the attribute does not name"),
        why,
        format!("add it: `uses({name}, …)`; in a module it is visible, `pub`"),
    )
}
