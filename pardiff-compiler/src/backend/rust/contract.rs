//! The public contract: the module `f` with signatures that forward to the bodies.

use super::contract_attributes::{deprecation, existence};
use super::contract_docs as docs;
use super::contract_types::{
    adjoint, element_zero, has_owned, is_relative, is_scalar, leaf, names_local_items, owned, relocated,
    relocated_path, zeros,
};
use super::names::{Names, unraw};
use super::{body, code, literal, respan};
use crate::ir::{BufferId, Program};
use crate::signature::{Param, ParamKind, ResultShape, Signature};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, TokenStreamExt};
use syn::{GenericParam, Type};

/// The adjoint argument of a parameter.
pub(super) struct Adjoint {
    /// `d_<name>`, or another name where that is taken.
    pub(super) name: Ident,
    /// Its type beside `f`.
    pub(super) ty: TokenStream,
}

/// The interface of the generated functions.
pub(super) struct Contract<'a> {
    /// The user's function.
    pub(super) signature: &'a Signature,
    /// The path of the runtime from beside the function.
    pub(super) runtime: TokenStream,
    /// The path of the runtime from inside the module.
    runtime_inside: TokenStream,
    /// The primal's arguments.
    pub(super) params: Vec<Ident>,
    /// Their adjoints.
    pub(super) adjoints: Vec<Option<Adjoint>>,
    /// The seed of `vjp`.
    seed: Ident,
    /// The seeds of `accumulate`, one for each float result.
    pub(super) seed_locals: Vec<Ident>,
    /// Their results and types.
    pub(super) seeds: Vec<(BufferId, TokenStream)>,
    /// A stub takes types that it does not know for floats.
    lenient: bool,
    /// A local for the value in `gradient`.
    value: Ident,
    /// The argument of `accumulate` that says whether the adjoints of inputs start from zero.
    pub(super) overwrite: Ident,
}

/// Which arguments a generated function takes.
#[derive(Clone, Copy, PartialEq)]
enum Arguments {
    Primal,
    WithAdjoints,
    WithSeed,
}

/// The module and the bodies.
pub(super) fn expansion(
    signature: &Signature,
    primal: &Program,
    adjoint: &Program,
    plan: &str,
) -> TokenStream {
    let contract = Contract::new(signature, false);
    let module = contract.module(plan, true);
    let (value, accumulate) = (body::value(&contract, primal), body::accumulate(&contract, adjoint));
    let (name, attrs) = (&signature.module, existence(&signature.attrs));
    let name = generated(name);
    code! {
        #module
        #attrs
        impl #name::Bodies {
            #value
            #accumulate
        }
    }
}

/// A module with the right signatures for a function that was refused, so that `f::grad` still resolves.
pub fn stub(signature: &Signature) -> TokenStream {
    Contract::new(signature, true).module("refused: see the compile error", false)
}

impl<'a> Contract<'a> {
    fn new(signature: &'a Signature, lenient: bool) -> Contract<'a> {
        let mut names = Names::default();
        // const parameters are the user's names as well
        for param in signature.generics.const_params() {
            names.fresh(&param.ident.to_string());
        }
        let params: Vec<Ident> =
            signature.params.iter().map(|param| names.fresh(&unraw(&param.name))).collect();
        let adjoints = signature.params.iter().map(|param| {
            param.active.then(|| Adjoint {
                name: names.fresh(&format!("d_{}", unraw(&param.name))),
                ty: adjoint(&param.ty),
            })
        });
        let adjoints = adjoints.collect();
        let floats: Vec<(BufferId, TokenStream)> = leaves(&signature.result)
            .into_iter()
            .filter(|(_, ty)| leaf(ty).map_or(lenient, |ty| ty.is_float()))
            .map(|(buffer, ty)| (buffer, respan(ty.to_token_stream())))
            .collect();
        let seed = names.fresh("seed");
        let seed_locals = match floats.len() {
            1 => vec![seed.clone()],
            count => (0..count).map(|at| names.fresh(&format!("seed_{at}"))).collect(),
        };
        let krate = &signature.krate;
        let runtime = code!(#krate::runtime);
        let inside = relocated_path(krate);
        let runtime_inside = code!(#inside::runtime);
        let overwrite = names.fresh("overwrite");
        let value = names.fresh("value");
        Contract {
            signature,
            runtime,
            runtime_inside,
            params,
            adjoints,
            seed,
            seed_locals,
            seeds: floats,
            lenient,
            value,
            overwrite,
        }
    }

    /// The seed argument of `vjp`.
    pub(super) fn seed(&self) -> &Ident {
        &self.seed
    }

    /// The results with their types.
    pub(super) fn leaves(&self) -> Vec<(BufferId, &'a Type)> {
        leaves(&self.signature.result)
    }

    /// Every name of the interface.
    pub(super) fn all_names(&self) -> impl Iterator<Item = &Ident> {
        let adjoints = self.adjoints.iter().flatten().map(|adjoint| &adjoint.name);
        let consts = self.signature.generics.const_params().map(|param| &param.ident);
        let own = [&self.overwrite, &self.seed].into_iter();
        let seeds = self.seed_locals.iter().filter(|name| **name != self.seed);
        consts.chain(&self.params).chain(adjoints).chain(own).chain(seeds)
    }

    /// Generics and `where` clause of a generated function.
    pub(super) fn generics(&self) -> (TokenStream, TokenStream) {
        let generics = &self.signature.generics;
        let clause = generics.where_clause.as_ref().map(|clause| clause.to_token_stream());
        (respan(generics.to_token_stream()), respan(clause.unwrap_or_default()))
    }

    /// `<N, M>` where the function has const parameters.
    fn const_arguments(&self) -> TokenStream {
        let params = self.signature.generics.const_params();
        let names: Vec<TokenStream> = params.map(|param| respan(param.ident.to_token_stream())).collect();
        if names.is_empty() { code!() } else { code!(<#(#names),*>) }
    }

    /// A mention of the function, so that a private one that is called through its gradient only is not dead code.
    pub(super) fn mention(&self) -> TokenStream {
        if !deprecation(&self.signature.attrs).is_empty() {
            return code!(); // the mention would be a use of something deprecated
        }
        let name = generated(&self.signature.name);
        let arguments = self.const_arguments();
        if arguments.is_empty() { code!(let _ = #name;) } else { code!(let _ = #name::#arguments;) }
    }

    /// `-> R`
    pub(super) fn output(&self) -> TokenStream {
        match self.result_type(false) {
            Some(ty) => code!(-> #ty),
            None => code!(),
        }
    }

    fn result_type(&self, inside: bool) -> Option<TokenStream> {
        let tokens = |ty: &Type| {
            let ty = if inside { relocated(ty) } else { ty.clone() };
            respan(ty.to_token_stream())
        };
        match &self.signature.result {
            ResultShape::Unit => None,
            ResultShape::Leaf(_, ty) => Some(tokens(ty)),
            ResultShape::Tuple(members) => {
                let members = members.iter().map(|(_, ty)| tokens(ty));
                Some(code!((#(#members,)*)))
            }
        }
    }

    /// `clippy::too_many_arguments` is about functions that people write.
    pub(super) fn allow_arguments(&self, count: usize) -> TokenStream {
        if count > 7 { code!(#[allow(clippy::too_many_arguments)]) } else { code!() }
    }

    /// What `accumulate` does first: the checks of shapes, before anything is written, then the zeros.
    pub(super) fn entry(&self, overwrite: &Ident) -> TokenStream {
        let runtime = &self.runtime;
        let function = literal::string(&unraw(&self.signature.name));
        let mut tokens = TokenStream::new();
        let mut zeros = TokenStream::new();
        for (at, param) in self.signature.params.iter().enumerate() {
            let Some(Adjoint { name, .. }) = &self.adjoints[at] else { continue };
            let primal = &self.params[at];
            if matches!(param.kind, ParamKind::Slice { .. }) {
                let (adjoint, array) = (literal::string(&unraw(name)), literal::string(&unraw(primal)));
                tokens.append_all(code! {
                    if #name.len() != #primal.len() {
                        #runtime::wrong_shape(#function, #adjoint, #name.len(), #array, #primal.len())
                    }
                });
            }
            match param.kind {
                _ if is_output(param) => {}
                ParamKind::Scalar | ParamKind::ScalarRef { .. } => zeros.append_all(code!(*#name = 0.0;)),
                _ => {
                    let zero = element_zero(&param.ty, runtime);
                    zeros.append_all(code!(#name.fill(#zero);));
                }
            }
        }
        if !zeros.is_empty() {
            tokens.append_all(code!(if #overwrite { #zeros }));
        }
        tokens
    }

    fn is_float(&self, ty: &Type) -> bool {
        leaf(ty).map_or(self.lenient, |ty| ty.is_float())
    }

    /// Whether the function returns one float and nothing else; its type.
    fn lone_float(&self) -> Option<&'a Type> {
        match &self.signature.result {
            ResultShape::Leaf(_, ty) if is_scalar(ty) && self.is_float(ty) => Some(ty),
            _ => None,
        }
    }

    /// The type of the seed of `vjp`, if there is one.
    fn seed_type(&self) -> Option<TokenStream> {
        let floats = self.leaves().into_iter().filter(|(_, ty)| self.is_float(ty));
        let types: Vec<TokenStream> = floats.map(|(_, ty)| respan(relocated(ty).to_token_stream())).collect();
        match &types[..] {
            [] => None,
            [one] => Some(one.clone()),
            types => Some(code!((#(#types),*))),
        }
    }

    /// The parameter list of a function in the module.
    fn parameters(&self, which: Arguments) -> Vec<TokenStream> {
        let mut list = Vec::new();
        for (at, param) in self.signature.params.iter().enumerate() {
            let ty = relocated(&param.ty);
            let (name, shown) = (&self.params[at], respan(ty.to_token_stream()));
            list.push(code!(#name: #shown));
            if which != Arguments::Primal
                && let Some(Adjoint { name, .. }) = &self.adjoints[at]
            {
                let ty = adjoint(&ty);
                list.push(code!(#name: #ty));
            }
        }
        if which == Arguments::WithSeed
            && let Some(ty) = self.seed_type()
        {
            let seed = &self.seed;
            list.push(code!(#seed: #ty));
        }
        list
    }

    /// The arguments that `accumulate` is called with, seeds apart.
    fn forwarded(&self) -> Vec<TokenStream> {
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
    fn forwarded_seeds(&self) -> Vec<TokenStream> {
        let seed = &self.seed;
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
    fn function(&self, name: &str, doc: &str, which: Arguments, body: TokenStream) -> TokenStream {
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
    fn module(&self, plan: &str, bodies: bool) -> TokenStream {
        let signature = self.signature;
        let function = unraw(&signature.name);
        let mut items = TokenStream::new();
        let plan_doc = docs::attribute(&docs::plan_constant(&function));
        let text = literal::string(plan);
        let deprecated = deprecation(&signature.attrs);
        items.append_all(code!(#plan_doc #deprecated pub const PLAN: &str = #text;));

        if let Some(ty) = self.lone_float() {
            let one = match leaf(ty) {
                Some(crate::ir::Ty::F32) => code!(1.0_f32),
                _ => code!(1.0_f64),
            };
            for (name, overwrite) in [("grad", false), ("grad_into", true)] {
                let doc = docs::entry(self, name);
                let body = self.call(bodies, overwrite, vec![one.clone()]);
                items.append_all(self.function(name, &doc, Arguments::WithAdjoints, body));
            }
            if let Some(gradient) = self.gradient(bodies, &one) {
                items.append_all(gradient);
            }
        }
        for (name, overwrite) in [("vjp", false), ("vjp_into", true)] {
            let doc = docs::entry(self, name);
            let body = self.call(bodies, overwrite, self.forwarded_seeds());
            items.append_all(self.function(name, &doc, Arguments::WithSeed, body));
        }
        let params = &self.params;
        let (arguments, doc) = (self.const_arguments(), docs::value(self));
        let body = match (bodies, arguments.is_empty()) {
            (false, _) => self.refused(),
            (true, true) => code!(Bodies::value(#(#params),*)),
            (true, false) => code!(Bodies::value::#arguments(#(#params),*)),
        };
        items.append_all(self.function("value", &doc, Arguments::Primal, body));
        if bodies {
            let doc = docs::attribute(&docs::bodies(&function));
            items.append_all(code!(#doc pub(super) struct Bodies;));
        }

        let (vis, name, attrs) = (
            respan(signature.vis.to_token_stream()),
            generated(&signature.module),
            existence(&signature.attrs),
        );
        let doc = docs::attribute(&docs::module(&function, plan));
        let uses = if self.names_local_items() {
            code!(
                use super::*;
            )
        } else {
            code!()
        };
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
    fn call(&self, bodies: bool, overwrite: bool, seeds: Vec<TokenStream>) -> TokenStream {
        if !bodies {
            return self.refused();
        }
        self.accumulate(overwrite, self.forwarded(), seeds)
    }

    fn accumulate(&self, overwrite: bool, list: Vec<TokenStream>, seeds: Vec<TokenStream>) -> TokenStream {
        let overwrite = if overwrite { code!(true) } else { code!(false) };
        let arguments = self.const_arguments();
        let path = if arguments.is_empty() { code!(accumulate) } else { code!(accumulate::#arguments) };
        code!(Bodies::#path(#overwrite, #(#list,)* #(#seeds),*))
    }

    fn refused(&self) -> TokenStream {
        let runtime = &self.runtime_inside;
        let function = literal::string(&unraw(&self.signature.name));
        code!(#runtime::refused(#function))
    }

    /// `gradient` and `Gradient`, where no float is behind a `&mut` and something is active.
    fn gradient(&self, bodies: bool, one: &TokenStream) -> Option<TokenStream> {
        let params = &self.signature.params;
        if self.signature.generics.type_params().next().is_some() {
            return None; // a stub; a field for each type parameter would be one too many
        }
        let outputs =
            params.iter().any(|param| is_output(param) && leaf(&param.ty).is_some_and(|ty| ty.is_float()));
        if outputs || !params.iter().any(|param| param.active) {
            return None;
        }
        let active: Vec<usize> = (0..params.len()).filter(|&at| params[at].active).collect();
        // in a stub, types that were refused may have no traits, or no owned form
        let known = active.iter().all(|&at| leaf(&params[at].ty).is_some());
        let derive =
            known.then(|| code!(#[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::cmp::PartialEq)]));
        let fields = active.iter().filter(|&&at| has_owned(&params[at].ty)).map(|&at| {
            let ty = owned(&relocated(&params[at].ty));
            let doc = docs::attribute(&docs::field(&unraw(&params[at].name)));
            let name = generated(&params[at].name);
            code!(#doc pub #name: #ty,)
        });
        let consts = self.signature.generics.params.iter().filter_map(|param| match param {
            GenericParam::Const(param) => Some(respan(param.to_token_stream())),
            _ => None,
        });
        let consts: Vec<TokenStream> = consts.collect();
        let declared = if consts.is_empty() { code!() } else { code!(<#(#consts),*>) };
        let arguments = self.const_arguments();
        let doc = docs::attribute(&docs::gradient_struct(&unraw(&self.signature.name)));
        let structure = code! {
            #doc
            #derive
            #[non_exhaustive]
            pub struct Gradient #declared { #(#fields)* }
        };

        let locals = active.iter().filter_map(|&at| {
            let name = &self.adjoints[at].as_ref()?.name;
            let ty = relocated(&params[at].ty);
            let (shown, zeros) =
                (owned(&ty), zeros(params[at].kind, &ty, &self.params[at], &self.runtime_inside));
            Some(code!(let mut #name: #shown = #zeros;))
        });
        let list = self.params.iter().zip(&self.adjoints).flat_map(|(name, adjoint)| {
            let adjoint = adjoint.as_ref().map(|Adjoint { name, .. }| code!(&mut #name));
            [Some(code!(#name)), adjoint].into_iter().flatten()
        });
        let fields = active.iter().filter_map(|&at| {
            let (field, local) = (generated(&params[at].name), &self.adjoints[at].as_ref()?.name);
            Some(code!(#field: #local))
        });
        let call = self.accumulate(false, list.collect(), vec![one.clone()]);
        let value = &self.value;
        let body = match bodies {
            true => code! {
                #(#locals)*
                let #value = #call;
                (#value, Gradient { #(#fields),* })
            },
            false => self.refused(),
        };
        let list = self.parameters(Arguments::Primal);
        let allow = self.allow_arguments(list.len());
        let (generics, clause) = self.generics();
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

    /// Whether the signatures need the names of the module around.
    fn names_local_items(&self) -> bool {
        let generics: Vec<String> =
            self.signature.generics.const_params().map(|param| param.ident.to_string()).collect();
        let params = self.signature.params.iter().map(|param| &param.ty);
        let results = self.leaves().into_iter().map(|(_, ty)| ty);
        let bounds = self.signature.generics.type_params().next().is_some();
        let krate = is_relative(&self.signature.krate);
        krate || bounds || params.chain(results).any(|ty| names_local_items(ty, &generics))
    }
}

/// Whether the parameter is a `&mut`.
pub(super) fn is_output(param: &Param) -> bool {
    use ParamKind::{ArrayRef, ScalarRef, Slice};
    matches!(param.kind, ScalarRef { mutable: true } | Slice { mutable: true } | ArrayRef { mutable: true })
}

fn leaves(result: &ResultShape) -> Vec<(BufferId, &Type)> {
    match result {
        ResultShape::Unit => Vec::new(),
        ResultShape::Leaf(buffer, ty) => vec![(*buffer, ty)],
        ResultShape::Tuple(members) => members.iter().map(|(buffer, ty)| (*buffer, ty)).collect(),
    }
}

/// The user's name as a name of the generated code, at its place in the source: hovering the function shows the module.
fn generated(name: &Ident) -> Ident {
    let mut ident = super::names::ident(&unraw(name));
    ident.set_span(name.span().resolved_at(Span::mixed_site()));
    ident
}
