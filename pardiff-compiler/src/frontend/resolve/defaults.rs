//! What is left open when a function has been resolved: defaults of types, and refusals of what has none.

use super::super::infer::{Class, Type};
use super::super::tree::{Len, Local, OpaquePath, PathId};
use super::Resolver;
use crate::ir::{Int, Ty};
use proc_macro2::Span;

impl Resolver<'_> {
    /// Gives every variable that is still free its default and refuses what has none.
    pub(in super::super) fn finish(&mut self) {
        for (signed, unsigned, span) in std::mem::take(&mut self.unsigned) {
            let _ = self.infer.restrict(&signed, Class::Int);
            if let Type::Var(_) = self.infer.peel(&signed) {
                let known = match self.infer.peel(&unsigned) {
                    Type::Scalar(ty) => Type::Scalar(ty),
                    _ => Type::Scalar(Ty::Int(Int::I32)),
                };
                let _ = self.infer.unify(&signed, &known);
            }
            if let Type::Scalar(Ty::Int(int)) = self.infer.peel(&signed) {
                self.unify(&unsigned, &Type::Scalar(Ty::Int(int.unsigned())), span);
            }
        }
        self.finish_functions_in_fields();
        for id in 0..self.paths.len() {
            self.default_path(id);
        }
        for (len, span) in std::mem::take(&mut self.open_lengths) {
            if len.known().is_none() && !self.has_errors {
                self.refusals.push(
                    span,
                    "an array whose length is not known",
                    "nothing in this function says how many elements it has",
                    "write its type: `let y: [f64; 4] = std::array::from_fn(|i| …);`",
                );
            }
        }
        self.finish_lengths();
        self.finish_conversions();
        self.finish_defaults();
        self.finish_iterators();
        for id in 0..self.locals.len() {
            let Local { name, ty, span, .. } = self.locals[id].clone();
            self.default_type(&ty, &name, span);
            self.need_elements(&ty, &name, span);
        }
        for name in &self.options.parallel {
            if !self.parallel_seen.contains(&name.to_string()) {
                self.refusals.push(
                    name.span(),
                    format!("no loop runs over `{name}`"),
                    "`parallel(…)` names the iterators of loops of this function",
                    "name an iterator, or put `#[parallel]` on the loop",
                );
            }
        }
    }

    /// Refuses arrays of references and of tuples that hold some, or arrays whose lengths their types do not say.
    fn need_elements(&mut self, ty: &Type, name: &str, span: Span) {
        let Type::Array(elem, _) = self.infer.peel(ty) else { return };
        match self.infer.shallow(&elem) {
            Type::Array(..) => self.need_elements(&elem, name, span),
            ty if self.holds_nothing(&ty) => {
                let elem = self.infer.show(&elem);
                self.refusals.push(
                    span,
                    format!("`{name}` is an array of `{elem}`"),
                    "there are no numbers in its elements",
                    "keep their number alone: `let n: usize = …;`",
                );
            }
            ty @ (Type::Tuple(_) | Type::Record(_) | Type::Ref(..)) if !self.is_element_with_rows(&ty) => {
                let elem = self.infer.show(&elem);
                self.refusals.push(
                    span,
                    format!("`{name}` is an array of `{elem}`"),
                    "the elements of an array are numbers, and arrays of constant length and tuples and structs of these",
                    "keep the numbers, `*x`, or the indices of what is meant: `let rows = [0, 2];`",
                );
            }
            _ => {}
        }
    }

    fn holds_nothing(&self, ty: &Type) -> bool {
        let ty = self.infer.shallow(ty);
        ty.members().is_some_and(|parts| parts.iter().all(|part| self.holds_nothing(part)))
    }

    /// Whether it is an element, or a tuple or struct of these and of vectors: arrays of such are parameters, and
    /// `emit` refuses to make one.
    fn is_element_with_rows(&self, ty: &Type) -> bool {
        match self.infer.shallow(ty) {
            Type::Array(elem, Len::Dynamic) => self.is_element_with_rows(&elem),
            ty @ (Type::Tuple(_) | Type::Record(_)) => {
                ty.members().is_some_and(|parts| parts.iter().all(|part| self.is_element_with_rows(part)))
            }
            ty => self.is_element(&ty),
        }
    }

    /// Whether a value consists of as many numbers as its type says.
    pub(super) fn is_element(&self, ty: &Type) -> bool {
        match self.infer.shallow(ty) {
            Type::Tuple(parts) => parts.iter().all(|part| self.is_element(part)),
            Type::Array(elem, len) => matches!(len, Len::Known(_) | Len::Open(_)) && self.is_element(&elem),
            Type::Record(record) => record.parts.iter().all(|part| self.is_element(part)),
            Type::Ref(..) => false,
            Type::Scalar(_) | Type::Var(_) | Type::Never => true,
        }
    }

    fn default_path(&mut self, id: PathId) {
        if !self.paths[id].used {
            return;
        }
        let OpaquePath { ty, text, span, .. } = self.paths[id].clone();
        let mut leaf = self.infer.peel(&ty);
        while let Type::Array(elem, _) = leaf {
            leaf = self.infer.peel(&elem);
        }
        let Type::Var(_) = leaf else { return };
        let scalar = matches!(self.infer.peel(&ty), Type::Var(_));
        match self.infer.class(&leaf) {
            Class::Float => {
                let _ = self.infer.unify(&leaf, &Type::Scalar(Ty::F64));
            }
            // Every integer value fits, so that only operations that depend on the width need the exact type.
            Class::Int if scalar && !self.infer.is_exact_needed(&leaf) => {
                let _ = self.infer.unify(&leaf, &Type::Scalar(Ty::Int(Int::I128)));
                let tokens = &self.paths[id].tokens;
                self.paths[id].tokens = quote::quote!((#tokens as i128));
            }
            _ if self.has_errors => {}
            class => {
                let ty = if class == Class::Int { "usize" } else { "f64" };
                let help = if scalar {
                    let name = text.rsplit("::").next().unwrap_or("value").to_lowercase();
                    format!("write the type: `let {name}: {ty} = {text};`, and use `{name}`")
                } else {
                    format!("write the type where it is used: `let t: {ty} = {text}[i];`")
                };
                self.refusals.push(
                    span,
                    format!("the type of `{text}` is not known"),
                    "an attribute does not see the definition, and no other operand fixes the type",
                    help,
                );
                let fallback = if class == Class::Int { Ty::USIZE } else { Ty::F64 };
                let _ = self.infer.unify(&leaf, &Type::Scalar(fallback));
            }
        }
    }

    /// Defaults a literal's type, and refuses a variable about which nothing is known.
    fn default_type(&mut self, ty: &Type, name: &str, span: Span) {
        match self.infer.shallow(ty) {
            Type::Var(_) => match self.infer.class(ty) {
                Class::Int => {
                    let _ = self.infer.unify(ty, &Type::Scalar(Ty::Int(Int::I32)));
                }
                Class::Float => {
                    let _ = self.infer.unify(ty, &Type::Scalar(Ty::F64));
                }
                Class::Any if self.has_errors => {}
                Class::Any => {
                    self.refusals.push(
                        span,
                        format!("the type of `{name}` is not known"),
                        "nothing in this function fixes it",
                        format!("write the type: `let {name}: f64 = …;`"),
                    );
                    let _ = self.infer.unify(ty, &Type::Scalar(Ty::F64));
                }
            },
            Type::Tuple(parts) => parts.iter().for_each(|part| self.default_type(part, name, span)),
            Type::Array(inner, _) | Type::Ref(_, inner) => self.default_type(&inner, name, span),
            Type::Record(of) if of.arguments.is_empty() => {}
            Type::Record(of) => of.parts.iter().for_each(|part| self.default_type(part, name, span)),
            Type::Scalar(_) | Type::Never => {}
        }
    }
}
