//! The module `f`: signatures that forward to the bodies.

use super::contract::{Adjoint, Contract, generated};
use super::contract_attributes::{deprecation, existence};
use super::contract_docs as docs;
use super::contract_types::{leaf, names_local_items};
use super::names::unraw;
use super::{Code, code, literal, user};
use crate::backend::Cuda;
use crate::ir::Ty;
use proc_macro2::{Ident, Span};

/// Which arguments a generated function takes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Arguments {
    /// Those of `f`.
    Primal,
    /// Each active one followed by its adjoint.
    WithAdjoints,
    /// With the seed behind them.
    WithSeed,
}

impl Contract<'_> {
    /// The parameter list of a function in the module.
    pub(super) fn parameters(&self, which: Arguments) -> Vec<Code> {
        let mut list = Vec::new();
        for (at, param) in self.signature.params.iter().enumerate() {
            let (name, ty) = (&self.params[at], self.parameter_type(param));
            list.push(code!(#name: #ty));
            if which != Arguments::Primal
                && let Some(Adjoint { name, .. }) = &self.adjoints[at]
            {
                let ty = self.adjoint_type(param);
                list.push(code!(#name: #ty));
            }
        }
        if which == Arguments::WithSeed
            && let Some(ty) = self.seed_type()
        {
            let seed = self.seed();
            list.push(code!(#seed: #ty));
        }
        list
    }

    /// The arguments that `accumulate` is called with, seeds apart.
    fn forwarded(&self) -> Vec<Code> {
        let mut list = Vec::new();
        for (name, adjoint) in self.params.iter().zip(&self.adjoints) {
            list.push(code!(#name));
            if let Some(Adjoint { name, .. }) = adjoint {
                list.push(code!(#name));
            }
        }
        list
    }

    /// The seeds of `accumulate` from the one of `vjp`.
    fn forwarded_seeds(&self) -> Vec<Code> {
        let seed = self.seed();
        match self.seeds.len() {
            0 => Vec::new(),
            1 => vec![code!(#seed)],
            count => {
                let members = (0..count).map(syn::Index::from);
                members.map(|member| code!(#seed.#member)).collect()
            }
        }
    }

    /// A public function of the module.
    fn function(&self, name: &str, doc: &str, which: Arguments, body: Code) -> Code {
        let list = self.parameters(which);
        let allow = self.allow_arguments(list.len());
        let (generics, clause) = self.generics();
        let output = self.result_type(true).map(|ty| code!(-> #ty));
        let name = Ident::new(name, Span::mixed_site());
        let doc = docs::attribute(doc);
        let deprecated = deprecation(&self.signature.attrs);
        code! {
            #doc
            #deprecated
            #allow
            pub fn #name #generics (#(#list),*) #output #clause { #body }
        }
    }

    /// `mod f`.
    pub(super) fn module(&self, plan: &str, cuda: &Cuda) -> Code {
        let signature = self.signature;
        let function = unraw(&signature.name);
        let mut items = Code::new();
        let plan_doc = docs::attribute(&docs::plan_constant(&function));
        let text = literal::string(plan);
        let deprecated = deprecation(&signature.attrs);
        items.push(code!(#plan_doc #deprecated pub const PLAN: &str = #text;));

        if let Some(ty) = self.lone_float() {
            let one = match leaf(ty) {
                Some(Ty::F32) => code!(1.0_f32),
                _ => code!(1.0_f64),
            };
            for (name, overwrite) in [("grad", false), ("grad_into", true)] {
                let doc = docs::entry(self, name);
                let body = self.call(overwrite, vec![one.clone()]);
                items.push(self.function(name, &doc, Arguments::WithAdjoints, body));
            }
            if let Some(gradient) = self.gradient(&one) {
                items.push(gradient);
            }
        }
        for (name, overwrite) in [("vjp", false), ("vjp_into", true)] {
            let doc = docs::entry(self, name);
            let body = self.call(overwrite, self.forwarded_seeds());
            items.push(self.function(name, &doc, Arguments::WithSeed, body));
        }
        let params = &self.params;
        let (arguments, doc) = (self.const_arguments(), docs::value(self));
        let body = match (self.is_stub, arguments.is_empty()) {
            (true, _) => self.refused(),
            (false, true) => code!(Bodies::value(#(#params),*)),
            (false, false) => code!(Bodies::value::#arguments(#(#params),*)),
        };
        items.push(self.function("value", &doc, Arguments::Primal, body));
        if !self.is_stub {
            let doc = docs::attribute(&docs::bodies(&function));
            items.push(code!(#doc pub(super) struct Bodies;));
        }

        items.push(cuda.module.clone());
        let (vis, name, attrs) =
            (user(&signature.vis), generated(&signature.module), existence(&signature.attrs));
        let doc = docs::module(&function, &text);
        let uses = self.uses();
        code! {
            #attrs
            #doc
            #vis mod #name {
                #uses
                #items
            }
        }
    }

    /// The call of the body that accumulates.
    fn call(&self, overwrite: bool, seeds: Vec<Code>) -> Code {
        if self.is_stub {
            return self.refused();
        }
        self.accumulate(overwrite, self.forwarded(), seeds)
    }

    pub(super) fn accumulate(&self, overwrite: bool, list: Vec<Code>, seeds: Vec<Code>) -> Code {
        let overwrite = if overwrite { code!(true) } else { code!(false) };
        let arguments = self.const_arguments();
        let path = if arguments.is_empty() { code!(accumulate) } else { code!(accumulate::#arguments) };
        code!(Bodies::#path(#overwrite, #(#list,)* #(#seeds),*))
    }

    /// The body of a function of a stub, which never runs: its crate does not compile.
    pub(super) fn refused(&self) -> Code {
        let text =
            literal::string(&format!("{}: refused, see the compile error", unraw(&self.signature.name)));
        code!(::core::panic!(#text))
    }

    /// A stub has the user's types as they are written, which may be names of the module around.
    fn uses(&self) -> Code {
        let generics: Vec<String> =
            self.signature.generics.const_params().map(|param| param.ident.to_string()).collect();
        let params = self.signature.params.iter().map(|param| &param.ty);
        let results = self.returned().iter().map(|member| &member.ty);
        let bounds = self.signature.generics.type_params().next().is_some();
        let named = bounds || params.chain(results).any(|ty| names_local_items(ty, &generics));
        if self.is_stub && named {
            code! { use super::*; }
        } else {
            code!()
        }
    }
}
