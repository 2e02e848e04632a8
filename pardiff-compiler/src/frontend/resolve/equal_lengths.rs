//! Lengths that are equal, and const arguments of structs.
//!
//! ```text
//! fn f(layer: &Layer<2>) { … Layer::new([a, b, c]) … }                // a `Layer<3>`, whose type nobody writes
//! fn g<const N: usize>(layer: &Layer<N>) { … }                        // `N` is what `Layer` has
//! ```
//!
//! In one function such a struct has one set of arguments. rustc infers another one where a type or a value says so.
//! Then an argument is written that is another one, or an array of another length meets one of the struct. So all
//! lengths that meet are compared when all of them are known.

use super::super::generic_structs::{ConstArgument, ConstArguments, arguments};
use super::super::tree::{Expr, Kind, Len};
use super::{Name, Resolver, bare};
use crate::ir::BinOp;
use crate::visit::{self, Visit};
use proc_macro2::Span;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{GenericArgument, Path, PathArguments};

impl Resolver<'_> {
    /// Compares the const arguments in a type with those that its structs have.
    pub(super) fn same_arguments_in(&mut self, ty: &syn::Type) {
        if self.module.const_arguments.is_empty() {
            return;
        }
        let mut paths = Paths(Vec::new());
        paths.visit_type(ty);
        paths.0.iter().for_each(|path| self.same_arguments(path));
    }

    /// The same in a path: `Layer::<3>::new`.
    pub(super) fn same_arguments(&mut self, path: &Path) {
        let module = self.module;
        for segment in &path.segments {
            let known = module.const_arguments.get(&segment.ident.to_string());
            let (Some(known), PathArguments::AngleBracketed(args)) = (known, &segment.arguments) else {
                continue;
            };
            let written = args.args.iter().filter(|arg| !matches!(arg, GenericArgument::Lifetime(_)));
            for (known, written) in known.iter().zip(written) {
                let (Some(known), Some(written)) = (known, constant(written)) else { continue };
                let value = self.given_argument(known);
                let written = self.argument(&written);
                self.unify(&written.ty, &value.ty, written.span);
                self.equal_lengths.push((Len::Known(value), Len::Known(Rc::new(written)), path.span()));
            }
        }
    }

    /// A const argument of a struct, as the signature has it.
    fn given_argument(&mut self, argument: &ConstArgument) -> Rc<Expr> {
        let value = self.of_signature(&argument.value);
        if let Some(ty) = self.type_of(&argument.ty) {
            self.unify(&value.ty, &ty, value.span);
        }
        Rc::new(value)
    }

    /// A constant as the signature of the function has it: a helper may use the same names.
    pub(super) fn of_signature(&mut self, value: &syn::Expr) -> Expr {
        let params = self.const_parameters.clone();
        self.seen_from(1, |this| {
            this.scoped(true, |this| {
                for id in params {
                    let name = this.paths[id].text.clone();
                    this.bind(&name, Name::Path(id));
                }
                this.argument(value)
            })
        })
    }

    /// The value of a const parameter that is an argument of a struct: `layer: &Layer<N>`
    pub(super) fn argument_of_structs(&mut self, sig: &syn::Signature, name: &str) -> Option<Rc<Expr>> {
        let module = self.module;
        let mut find = Find { structs: &module.const_arguments, name, found: None };
        find.visit_signature(sig);
        find.found.map(|argument| self.given_argument(argument))
    }

    /// Keeps the lengths that met at a place, where one of them may be that of a struct with const arguments.
    pub(super) fn note_lengths(&mut self, span: Span) {
        let met = std::mem::take(&mut self.infer.met);
        if !self.module.const_arguments.is_empty() {
            self.equal_lengths.extend(met.into_iter().map(|(a, b)| (a, b, span)));
        }
    }

    /// Refuses lengths that meet and differ.
    pub(super) fn finish_lengths(&mut self) {
        for (a, b, span) in std::mem::take(&mut self.equal_lengths) {
            let (Some(a), Some(b)) = (a.known(), b.known()) else { continue };
            match self.are_equal(&a, &b) {
                Some(true) => {}
                Some(false) => self.refusals.push(
                    span,
                    "a value of a struct with other lengths than elsewhere in this function",
                    "a struct with parameters has one set of arguments in a function that is differentiated",
                    "write a struct for each",
                ),
                None => self.refusals.push(
                    span,
                    "a length that is not seen to be that of the struct elsewhere in this function",
                    "a struct with parameters has one set of arguments in a function that is differentiated",
                    "write both lengths as one number, or as one constant",
                ),
            }
        }
    }

    /// Whether two constants are equal, as far as that is seen.
    pub(super) fn are_equal(&self, a: &Expr, b: &Expr) -> Option<bool> {
        if let (Some(a), Some(b)) = (self.number(a), self.number(b)) {
            return Some(a == b);
        }
        let (a, b) = (self.source_of(a), self.source_of(b));
        let is_parameter = |e: &Expr| matches!(&e.kind, Kind::Path(id) if self.const_parameters.contains(id));
        match (&a.kind, &b.kind) {
            (Kind::Error, _) | (_, Kind::Error) => Some(true),
            (Kind::Path(a), Kind::Path(b)) if a == b => Some(true),
            (Kind::Path(_), Kind::Path(_)) => (is_parameter(&a) && is_parameter(&b)).then_some(false),
            (Kind::Path(_), Kind::Int(_)) => is_parameter(&a).then_some(false),
            (Kind::Int(_), Kind::Path(_)) => is_parameter(&b).then_some(false),
            (Kind::Binary(op, a, c), Kind::Binary(other, b, d)) if op == other => {
                let both = self.are_equal(a, b) == Some(true) && self.are_equal(c, d) == Some(true);
                both.then_some(true)
            }
            _ => None,
        }
    }

    /// The value of a constant, if it is seen.
    fn number(&self, e: &Expr) -> Option<i128> {
        match &self.source_of(e).kind {
            Kind::Int(value) => Some(*value),
            Kind::Bool(value) => Some(i128::from(*value)),
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                match op {
                    BinOp::Add => a.checked_add(b),
                    BinOp::Sub => a.checked_sub(b),
                    BinOp::Mul => a.checked_mul(b),
                    BinOp::Div => a.checked_div(b),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The constant behind const parameters of helpers and lengths.
    fn source_of(&self, e: &Expr) -> Expr {
        let behind = match &e.kind {
            Kind::Local(local) => self.const_values.get(local).cloned(),
            Kind::Length(len) => len.known(),
            Kind::Cast(inner) => return self.source_of(inner),
            _ => None,
        };
        behind.map_or_else(|| e.clone(), |behind| self.source_of(&behind))
    }

    /// The constant that an argument of a struct is, `{ N }` as well.
    fn argument(&mut self, e: &syn::Expr) -> Expr {
        match bare(e) {
            syn::Expr::Block(block) => match &block.block.stmts[..] {
                [syn::Stmt::Expr(inner, None)] => self.expr(inner),
                _ => self.expr(e),
            },
            e => self.expr(e),
        }
    }
}

/// The constant between brackets; there is none in `Layer<_>`.
fn constant(argument: &GenericArgument) -> Option<syn::Expr> {
    match argument {
        GenericArgument::Const(value) => Some(value.clone()),
        GenericArgument::Type(syn::Type::Path(path)) => Some(syn::parse_quote!(#path)),
        _ => None,
    }
}

/// The paths in a type.
struct Paths(Vec<Path>);

impl Visit for Paths {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_path(&mut self, path: &Path) {
        visit::visit_path(self, path);
        self.0.push(path.clone());
    }
}

/// Finds a struct that has a const parameter as an argument, and what that argument is.
struct Find<'a> {
    structs: &'a ConstArguments,
    name: &'a str,
    found: Option<&'a ConstArgument>,
}

impl Visit for Find<'_> {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_path(&mut self, path: &Path) {
        visit::visit_path(self, path);
        for segment in &path.segments {
            let known = self.structs.get(&segment.ident.to_string());
            let (Some(known), PathArguments::AngleBracketed(args)) = (known, &segment.arguments) else {
                continue;
            };
            let is_meant = |written: &proc_macro2::TokenStream| {
                let written = written.to_string();
                written.trim_matches(['{', '}', ' ']) == self.name
            };
            let at = arguments(args).iter().position(is_meant);
            self.found = self.found.or_else(|| known.get(at?)?.as_ref());
        }
    }
}
