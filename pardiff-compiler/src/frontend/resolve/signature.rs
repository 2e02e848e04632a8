//! Parameters and result type of the function itself.

use super::super::display::same_text;
use super::super::infer::Type;
use super::super::interface::Interface;
use super::super::tree::LocalId;
use super::{Name, Resolver};

impl Resolver<'_> {
    /// Declares the parameters; those that the interface has read, in its order.
    pub(in super::super) fn parameters(&mut self, item: &syn::ItemFn, interface: &Interface) -> Vec<LocalId> {
        let mut params = Vec::new();
        let mut known = interface.params.iter().peekable();
        for arg in &item.sig.inputs {
            let syn::FnArg::Typed(arg) = arg else {
                // refused already
                self.bind("self", Name::Refused);
                continue;
            };
            match known.peek() {
                Some(param) if same_text(&param.ty, &arg.ty) && matches_name(&arg.pat, &param.name) => {
                    let name = param.name.to_string();
                    let ty = match self.type_of(&param.ty) {
                        Some(ty) => ty,
                        None => Type::Never,
                    };
                    let id = if param.named {
                        self.declare(&name, ty, param.rebound, param.span)
                    } else {
                        self.hidden(&name, ty, false, param.span)
                    };
                    params.push(id);
                    known.next();
                }
                // refused already: its uses are not refused again
                _ => self.declare_refused(&arg.pat),
            }
        }
        params
    }

    /// The body of a method knows its receiver as `self` alone.
    pub(in super::super) fn call_self(&mut self, receiver: &syn::Ident) {
        let parameter = self.scopes.last_mut().and_then(|scope| scope.names.remove(&receiver.to_string()));
        self.bind("self", parameter.unwrap_or(Name::Refused));
    }

    fn declare_refused(&mut self, pat: &syn::Pat) {
        match pat {
            syn::Pat::Ident(pat) => self.bind(&pat.ident.to_string(), Name::Refused),
            syn::Pat::Tuple(pat) => pat.elems.iter().for_each(|pat| self.declare_refused(pat)),
            syn::Pat::Reference(pat) => self.declare_refused(&pat.pat),
            syn::Pat::Slice(pat) => pat.elems.iter().for_each(|pat| self.declare_refused(pat)),
            _ => {}
        }
    }

    /// The return type, unless it was refused.
    pub(in super::super) fn returned(&mut self, interface: &Interface) -> Option<Type> {
        use crate::signature::ResultShape;
        let Some(ty) = &interface.value else { return Some(Type::UNIT) };
        let value = match &interface.signature.result {
            ResultShape::Unit if !matches!(ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty()) => None,
            ResultShape::Tuple(members) if matches!(ty, syn::Type::Tuple(tuple) if tuple.elems.len() != members.len()) => {
                None
            }
            _ => self.type_of(ty),
        }?;
        // as of helpers: whether there is a value, and the value
        Some(match interface.signature.failure {
            Some(_) => Type::Tuple(vec![Type::BOOL, value]),
            None => value,
        })
    }
}

fn matches_name(pat: &syn::Pat, name: &syn::Ident) -> bool {
    match pat {
        syn::Pat::Ident(pat) => pat.ident == *name,
        _ => true,
    }
}
