//! The module `f`: signatures that forward to the bodies.

use super::contract::{Contract, generated};
use super::contract_attributes::{deprecation, existence};
use super::contract_docs as docs;
use super::contract_gradient::Open;
use super::contract_types::{leaf, marks_local_items, names_local_items};
use super::{Code, code, literal, user};
use crate::backend::Cuda;
use crate::backend::interface::{Argument, Interface};
use crate::ir::{Derivative, Ty};
use crate::modes::{self, Adjoints, Function, Mode, Seed};
use crate::plan::Plan;
use proc_macro2::{Ident, Span};
use syn::GenericParam;

impl Contract<'_> {
    /// The parameter list of a function in the module.
    pub(super) fn parameters(&self, row: &Function, open: &[Open<'_>]) -> Vec<Code> {
        let passed = |it: &&Argument<'_>| it.is_primal() || row.adjoints != Adjoints::Returned;
        let mut wholes = Vec::new();
        let arguments = self.interface.of_mode(row.mode).filter(passed).filter_map(|argument| {
            let name = &argument.name;
            if let Some(of) = self.whole(argument) {
                let is_new = !wholes.contains(&&of.name);
                wholes.push(&of.name);
                return is_new.then(|| self.whole_argument(of));
            }
            let is_open = |open: &&Open<'_>| argument.is_primal() && std::ptr::eq(open.param, argument.param);
            let ty = match open.iter().find(is_open) {
                Some(Open { ty, .. }) => code!(#ty),
                None => self.type_inside(argument),
            };
            Some(code!(#name: #ty))
        });
        let mut list: Vec<Code> = arguments.collect();
        list.extend(self.tape_parameter(row.mode, true).map(|(name, ty)| code!(#name: #ty)));
        let is_given = match row.seed {
            Seed::Absent | Seed::One => false,
            Seed::Given => true,
            Seed::GivenUnlessOne => self.lone_float().is_none(),
        };
        if is_given && let Some(ty) = self.seed_argument(row.mode.is_batched(&[Derivative::Adjoint])) {
            let seed = &self.interface.seed;
            list.push(code!(#seed: #ty));
        }
        list
    }

    /// Whether the seed of a function is one, and no argument.
    pub(super) fn has_unit_seed(&self, row: &Function) -> bool {
        row.seed == Seed::One || row.seed == Seed::GivenUnlessOne && self.lone_float().is_some()
    }

    /// The seeds of a body.
    fn forwarded_seeds(&self, row: &Function) -> Vec<Code> {
        let Interface { seed, seeds, .. } = &self.interface;
        match (row.seed, seeds.len()) {
            (Seed::Absent, _) | (_, 0) => Vec::new(),
            (Seed::GivenUnlessOne, _) if self.lone_float().is_some() => Vec::new(),
            (Seed::One, _) => match self.lone_float().and_then(leaf) {
                Some(Ty::F32) => vec![self.unit_seed(code!(1.0_f32), code!(0.0_f32))],
                _ => vec![self.unit_seed(code!(1.0_f64), code!(0.0_f64))],
            },
            (Seed::Given | Seed::GivenUnlessOne, 1) => vec![code!(#seed)],
            (Seed::Given | Seed::GivenUnlessOne, count) => {
                let members = (0..count).map(syn::Index::from);
                members.map(|member| code!(#seed.#member)).collect()
            }
        }
    }

    /// A public function of the module.
    fn function(&self, row: &Function) -> Option<Code> {
        match row.adjoints {
            _ if row.seed == Seed::One && self.lone_float().is_none() => None,
            Adjoints::Returned if row.seed == Seed::GivenUnlessOne => self.hessian(row),
            Adjoints::Returned if row.mode.returns_tangent() => self.jacobian(row),
            Adjoints::Returned if row.mode == Mode::Gradients => self.row_jacobian(row),
            Adjoints::Returned => self.gradient(row),
            Adjoints::Checked => self.checks.then(|| self.check(row)),
            _ => {
                let list = self.interface.of_mode(row.mode).map(|argument| self.handed_on(argument));
                let output = self.output(row.mode, true);
                Some(self.declared(row, &[], Some(output), self.call(row, list.collect())))
            }
        }
    }

    /// A public function that returns this, with its body.
    pub(super) fn declared(
        &self,
        row: &Function,
        open: &[Open<'_>],
        output: Option<Code>,
        body: Code,
    ) -> Code {
        let parts = self.parts_of_wholes(row);
        let body = if self.is_stub { self.refused() } else { code!(#parts #body) };
        let list = self.parameters(row, open);
        let allow = self.allow_arguments(list.len());
        let mut generics = self.signature.generics.clone();
        let opened = open.iter().map(|Open { ty, .. }| ty.clone()).chain(self.engine());
        generics.params.extend(opened.map(|ty| GenericParam::Type(ty.into())));
        let (generics, mut clause) = (user(&generics), user(&generics.where_clause));
        if self.has_unit_seed(row)
            && let Some(asked) = self.asks_whose_result()
        {
            clause = match &self.signature.generics.where_clause {
                Some(_) => code!(#clause, #asked),
                None => code!(where #asked),
            };
        }
        let name = Ident::new(row.name, Span::mixed_site());
        let doc = docs::attribute(&docs::function(self, row));
        let deprecated = deprecation(&self.signature.attrs);
        code! {
            #doc
            #deprecated
            #allow
            pub fn #name #generics (#(#list),*) #output #clause { #body }
        }
    }

    /// `mod f`.
    pub(super) fn module(&self, plan: &Plan, cuda: &Cuda) -> Code {
        let signature = self.signature;
        let function = signature.shown();
        let mut items = Code::new();
        let plan_doc = docs::attribute(&docs::plan_constant(&function));
        let (text, list) = (literal::string(&plan.summary), literal::string(&plan.decisions));
        let deprecated = deprecation(&signature.attrs);
        items.push(code!(#plan_doc #deprecated pub const PLAN: &str = #text;));
        let list_doc = docs::attribute(docs::DECISIONS);
        items.push(code!(#list_doc #deprecated pub const DECISIONS: &str = #list;));

        if let Some(width) = self.batch.map(literal::usize) {
            let doc = docs::attribute(docs::WIDTH);
            items.push(code!(#doc #deprecated pub const WIDTH: usize = #width;));
        }

        items.push(self.error_module());
        items.extend(self.tape_structure());
        items.extend(modes::functions(&self.modes).into_iter().filter_map(|row| self.function(row)));
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

    /// The call of the body of a function.
    pub(super) fn call(&self, row: &Function, mut list: Vec<Code>) -> Code {
        list.extend(self.tape_parameter(row.mode, true).map(|(name, _)| code!(#name)));
        let name = self.called_body(row.mode);
        let arguments = self.const_arguments();
        let path = if arguments.is_empty() { code!(#name) } else { code!(#name::#arguments) };
        let seeds = self.forwarded_seeds(row);
        if !row.mode.accumulates() {
            return self.compared_over_ranks(row, code!(Bodies::#path(#(#list,)* #(#seeds),*)));
        }
        let overwrite = if row.adjoints == Adjoints::Stored { code!(true) } else { code!(false) };
        self.compared_over_ranks(row, code!(Bodies::#path(#overwrite, #(#list,)* #(#seeds),*)))
    }

    /// The body of a function of a stub, which never runs: its crate does not compile.
    fn refused(&self) -> Code {
        let text = literal::string(&format!("{}: refused, see the compile error", self.signature.shown()));
        code!(::core::panic!(#text))
    }

    /// A stub has the user's types as they are written, and a struct what marks it, which may be names of the module
    /// around.
    fn uses(&self) -> Code {
        let generics: Vec<String> =
            self.signature.generics.const_params().map(|param| param.ident.to_string()).collect();
        let params = self.signature.params.iter().map(|param| &param.ty);
        let params = params.chain(self.signature.borrowed.iter().map(|of| &of.ty));
        let mut types = params.chain(self.returned().iter().map(|member| &member.ty));
        let bounds = self.signature.generics.type_params().next().is_some();
        let named = match self.is_stub {
            true => bounds || types.any(|ty| names_local_items(ty, &generics)),
            false => types.any(|ty| marks_local_items(&self.inside(ty), &generics)),
        };
        if named {
            code! { use super::*; }
        } else {
            code!()
        }
    }
}
