//! `gradient` and `Gradient`: the gradient by the primal's own arguments, with named fields.

use super::contract::{Contract, generated};
use super::contract_docs as docs;
use super::contract_ndarray as nd;
use super::contract_records::Made;
use super::contract_types::{has_floats, has_owned, leaf, owned, zeros};
use super::names::unraw;
use super::{Code, code, user};
use crate::backend::interface::Argument;
use crate::modes::Function;
use crate::refusal::Refusal;
use crate::signature::{Field, Param, Record, member_name};
use quote::format_ident;
use syn::spanned::Spanned;
use syn::{GenericParam, Ident};

/// A parameter whose type was refused, in a stub: a type parameter stands in its place.
pub(super) struct Open<'a> {
    pub(super) param: &'a Param,
    pub(super) ty: Ident,
}

impl Contract<'_> {
    /// The traits of `Gradient`: those that all its fields have. In a stub, types that were refused may have none.
    fn derived(&self, active: &[&Argument<'_>]) -> Option<Code> {
        let params = || active.iter().map(|it| it.param);
        if params().any(|param| param.record.is_none() && leaf(&param.ty).is_none()) {
            return None;
        }
        let all = [
            ("Clone", code!(::core::clone::Clone)),
            ("Debug", code!(::core::fmt::Debug)),
            ("PartialEq", code!(::core::cmp::PartialEq)),
        ];
        let shared = all.into_iter().filter(|(name, _)| {
            let mut records = params().filter_map(|param| param.record.as_ref());
            records.all(|record| record.derives(name))
        });
        let shared: Vec<Code> = shared.map(|(_, path)| path).collect();
        (!shared.is_empty()).then(|| code!(#[derive(#(#shared),*)]))
    }

    /// The type of the field of a parameter, inside the module.
    fn owned_type(&self, param: &Param) -> Code {
        nd::owned(param, &self.runtime).unwrap_or_else(|| owned(&self.inside(&param.ty)))
    }

    /// Why no gradient by a parameter is made: fields whose types are not known are copied.
    fn not_made(&self, param: &Param) -> Option<Refusal> {
        let (record, name) = (param.record.as_ref()?, unraw(&param.name));
        let refusal = |(of, field): (&Record, &Field), why: &str, help: &str| {
            let (of, member) = (of.name.as_ref().map_or_else(String::new, unraw), member_name(&field.member));
            let what = format!(
                "`{}` has no `gradient`: it would make the gradient by `{name}`",
                self.signature.shown()
            );
            let [why, help] = [why, help].map(|text| text.replace("{of}", &of).replace("{member}", &member));
            Refusal::new(field.ty.span(), what, why, help)
        };
        let others = "call `grad` with an adjoint of yours, in which that field is not looked at";
        let not_copied = record.not_copied().map(|found| {
            let help = format!("write `#[derive(Clone)]` before `{{of}}`, or {others}");
            refusal(
                found,
                "`{of}` does not derive `Clone`, and the type of its field `{member}` is not known",
                &help,
            )
        });
        let floats = || {
            let why = "the field `{member}` of `{of}` may hold floats, and its type is not known";
            record.unknown_floats().map(|found| refusal(found, why, others))
        };
        let borrowed = || {
            let found = record.unknown().filter(|_| !has_owned(param));
            found.map(|found| refusal(found, "the field `{member}` of `{of}` is borrowed", others))
        };
        not_copied.or_else(floats).or_else(borrowed)
    }

    /// `gradient` and `Gradient`, where no float is behind a `&mut` and something is active.
    pub(super) fn gradient(&self, row: &Function) -> Option<Code> {
        if self.signature.generics.type_params().next().is_some() {
            return None; // a stub; a field for each type parameter would be one too many
        }
        let outputs = self
            .signature
            .params
            .iter()
            .any(|param| param.kind.is_output() && has_floats(&param.ty, param.record.as_deref(), false));
        let active: Vec<&Argument<'_>> = self.interface.companions(row.mode).collect();
        if outputs || active.is_empty() {
            return None;
        }
        if let Some(refusal) = active.iter().find_map(|it| self.not_made(it.param)).filter(|_| !self.is_stub)
        {
            return Some(self.uncallable([row], &refusal));
        }
        // in a stub, types that were refused may have no traits, or no owned form: a field has that of the argument
        let derive = self.derived(&active);
        let refused = active.iter().filter(|it| !has_owned(it.param)).enumerate();
        let open: Vec<Open<'_>> =
            refused.map(|(at, it)| Open { param: it.param, ty: format_ident!("Refused{at}") }).collect();
        let fields = active.iter().map(|it| {
            let ty = match open.iter().find(|open| std::ptr::eq(open.param, it.param)) {
                Some(Open { ty, .. }) => code!(#ty),
                None => self.owned_type(it.param),
            };
            let doc = docs::attribute(&docs::field(&unraw(&it.param.name)));
            let name = generated(&it.param.name);
            code!(#doc pub #name: #ty,)
        });
        let consts = self.signature.generics.params.iter().filter_map(|param| match param {
            GenericParam::Const(param) => Some(user(&param)),
            _ => None,
        });
        let open_types = open.iter().map(|Open { ty, .. }| code!(#ty));
        let declared: Vec<Code> = consts.chain(open_types.clone()).collect();
        let declared = if declared.is_empty() { code!() } else { code!(<#(#declared),*>) };
        let arguments = self.signature.generics.const_params().map(|param| user(&param.ident));
        let arguments: Vec<Code> = arguments.chain(open_types).collect();
        let arguments = if arguments.is_empty() { code!() } else { code!(<#(#arguments),*>) };
        let doc = docs::attribute(&docs::gradient_struct(&self.signature.shown()));
        let structure = code! {
            #doc
            #derive
            #[non_exhaustive]
            pub struct Gradient #declared { #(#fields)* }
        };

        let locals = active.iter().map(|Argument { param, name, primal, .. }| {
            let made = Made { runtime: &self.runtime, path: Some(code!(super)), keeps_floats: false };
            let zeros = match (&param.record, &param.elements) {
                (Some(record), _) => made.like(param, record, primal),
                (None, Some(elem)) => made.elements(elem, primal),
                (None, None) => nd::zeros(param, primal, &self.runtime)
                    .unwrap_or_else(|| zeros(param.kind, &self.inside(&param.ty), primal)),
            };
            let shown = self.owned_type(param);
            code!(let mut #name: #shown = #zeros;)
        });
        let list = self.interface.of_mode(row.mode).map(|it| match it.is_primal() {
            true => self.handed_on(it),
            false => nd::lent(it.param, &it.name),
        });
        let fields = active.iter().map(|Argument { param, name, .. }| {
            let field = generated(&param.name);
            code!(#field: #name)
        });
        let (value, call) = (&self.value, self.opened(self.call(row, list.collect())));
        let returned = self.succeeded(code!((#value, Gradient { #(#fields),* })));
        let body = code! {
            #(#locals)*
            let #value = #call;
            #returned
        };
        let output = self.result_type(true);
        let output = self.returning(Some(code!((#output, Gradient #arguments))), true, true);
        let function = self.declared(row, &open, Some(output), body);
        Some(code!(#structure #function))
    }
}
