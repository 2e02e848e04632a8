//! `gradient` and `Gradient`: the gradient by the primal's own arguments, with named fields.

use super::contract::{Adjoint, Contract, generated, is_output};
use super::contract_attributes::deprecation;
use super::contract_docs as docs;
use super::contract_module::Arguments;
use super::contract_ndarray as nd;
use super::contract_records::zeros_like;
use super::contract_types::{has_floats, has_owned, leaf, owned, zeros};
use super::names::unraw;
use super::{Code, code, user};
use quote::format_ident;
use syn::{GenericParam, Ident};

impl Contract<'_> {
    /// The traits of `Gradient`: those that all its fields have. In a stub, types that were refused may have none.
    fn derived(&self, active: &[usize]) -> Option<Code> {
        let params = &self.signature.params;
        if active.iter().any(|&at| params[at].record.is_none() && leaf(&params[at].ty).is_none()) {
            return None;
        }
        let all = [
            ("Clone", code!(::core::clone::Clone)),
            ("Debug", code!(::core::fmt::Debug)),
            ("PartialEq", code!(::core::cmp::PartialEq)),
        ];
        let shared = all.into_iter().filter(|(name, _)| {
            let mut records = active.iter().filter_map(|&at| params[at].record.as_ref());
            records.all(|record| record.derives(name))
        });
        let shared: Vec<Code> = shared.map(|(_, path)| path).collect();
        (!shared.is_empty()).then(|| code!(#[derive(#(#shared),*)]))
    }

    /// The type of the field of a parameter, inside the module.
    fn owned_type(&self, at: usize) -> Code {
        let param = &self.signature.params[at];
        nd::owned(param, &self.runtime).unwrap_or_else(|| owned(&self.inside(&param.ty)))
    }

    /// `gradient` and `Gradient`, where no float is behind a `&mut` and something is active.
    pub(super) fn gradient(&self, one: &Code) -> Option<Code> {
        let params = &self.signature.params;
        if self.signature.generics.type_params().next().is_some() {
            return None; // a stub; a field for each type parameter would be one too many
        }
        let outputs = params
            .iter()
            .any(|param| is_output(param) && has_floats(&param.ty, param.record.as_deref(), false));
        if outputs || !params.iter().any(|param| param.active) {
            return None;
        }
        let active: Vec<usize> = (0..params.len()).filter(|&at| params[at].active).collect();
        // in a stub, types that were refused may have no traits, or no owned form: a field has that of the argument
        let derive = self.derived(&active);
        let open: Vec<(usize, Ident)> = active
            .iter()
            .filter(|&&at| !has_owned(&params[at]))
            .map(|&at| (at, format_ident!("Refused{at}")))
            .collect();
        let fields = active.iter().map(|&at| {
            let ty = match open.iter().find(|(of, _)| *of == at) {
                Some((_, ty)) => code!(#ty),
                None => self.owned_type(at),
            };
            let doc = docs::attribute(&docs::field(&unraw(&params[at].name)));
            let name = generated(&params[at].name);
            code!(#doc pub #name: #ty,)
        });
        let consts = self.signature.generics.params.iter().filter_map(|param| match param {
            GenericParam::Const(param) => Some(user(&param)),
            _ => None,
        });
        let open_types = open.iter().map(|(_, ty)| code!(#ty));
        let declared: Vec<Code> = consts.chain(open_types.clone()).collect();
        let declared = if declared.is_empty() { code!() } else { code!(<#(#declared),*>) };
        let arguments = self.signature.generics.const_params().map(|param| user(&param.ident));
        let arguments: Vec<Code> = arguments.chain(open_types).collect();
        let arguments = if arguments.is_empty() { code!() } else { code!(<#(#arguments),*>) };
        let doc = docs::attribute(&docs::gradient_struct(&unraw(&self.signature.name)));
        let structure = code! {
            #doc
            #derive
            #[non_exhaustive]
            pub struct Gradient #declared { #(#fields)* }
        };

        let locals = active.iter().filter_map(|&at| {
            let name = &self.adjoints[at].as_ref()?.name;
            let ty = self.inside(&params[at].ty);
            let zeros = match &params[at].record {
                Some(record) => zeros_like(&params[at], record, &self.params[at], &self.runtime),
                None => nd::zeros(&params[at], &self.params[at], &self.runtime)
                    .unwrap_or_else(|| zeros(params[at].kind, &ty, &self.params[at])),
            };
            let shown = self.owned_type(at);
            Some(code!(let mut #name: #shown = #zeros;))
        });
        let list = params.iter().zip(&self.params).zip(&self.adjoints);
        let list = list.flat_map(|((param, name), adjoint)| {
            let adjoint = adjoint.as_ref().map(|Adjoint { name, .. }| nd::lent(param, name));
            [Some(code!(#name)), adjoint].into_iter().flatten()
        });
        let fields = active.iter().filter_map(|&at| {
            let (field, local) = (generated(&params[at].name), &self.adjoints[at].as_ref()?.name);
            Some(code!(#field: #local))
        });
        let call = self.accumulate(false, list.collect(), vec![one.clone()]);
        let value = &self.value;
        let body = match self.is_stub {
            false => code! {
                #(#locals)*
                let #value = #call;
                (#value, Gradient { #(#fields),* })
            },
            true => self.refused(),
        };
        let mut list = self.parameters(Arguments::Primal);
        let mut generics = self.signature.generics.clone();
        for (at, ty) in &open {
            let name = &self.params[*at];
            list[*at] = code!(#name: #ty);
            generics.params.push(GenericParam::Type(ty.clone().into()));
        }
        let allow = self.allow_arguments(list.len());
        let (generics, clause) = (user(&generics), user(&generics.where_clause));
        let output = self.result_type(true);
        let doc = docs::attribute(&docs::gradient(self));
        let deprecated = deprecation(&self.signature.attrs);
        Some(code! {
            #structure
            #doc
            #deprecated
            #allow
            pub fn gradient #generics (#(#list),*) -> (#output, Gradient #arguments) #clause { #body }
        })
    }
}
