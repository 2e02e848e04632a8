//! Communicators in the public contract: generated functions take those of any engine, bodies what all engines are
//! to them.

use super::contract::Contract;
use super::contract_attributes::deprecation;
use super::{Code, code, literal, user};
use crate::backend::interface::Argument;
use crate::modes::Function;
use crate::signature::{OverRanks, Param, Signature};
use proc_macro2::{Ident, Span};

impl Contract<'_> {
    /// The first communicator of the function.
    pub(super) fn communicator(&self) -> Option<&Argument<'_>> {
        self.interface.arguments.iter().find(|it| it.param.kind.is_communicator())
    }

    /// The type parameter of public functions that says which engine it is.
    pub(super) fn engine(&self) -> Option<Ident> {
        self.communicator().map(|_| Ident::new("Engine", Span::mixed_site()))
    }

    /// The type of a communicator in a public function.
    pub(super) fn communicator_outside(&self, argument: &Argument<'_>) -> Option<Code> {
        let runtime = &self.runtime;
        let engine = self.engine().filter(|_| argument.param.kind.is_communicator())?;
        Some(code!(&(impl #runtime::ranks::Engine<#engine> + ?Sized)))
    }

    /// Its type in a body.
    pub(super) fn communicator_inside(&self, argument: &Argument<'_>) -> Option<Code> {
        let runtime = &self.runtime;
        argument.param.kind.is_communicator().then(|| code!(&dyn #runtime::ranks::Messages))
    }

    /// An argument of a public function as its body takes it.
    pub(super) fn handed_on(&self, argument: &Argument<'_>) -> Code {
        let (runtime, name) = (&self.runtime, &argument.name);
        match argument.param.kind.is_communicator() {
            true => code!(&#runtime::ranks::adapted(#name)),
            false => code!(#name),
        }
    }

    /// The adjoint of a result that is one float: of one that all ranks have alike, one of them has it.
    pub(super) fn unit_seed(&self, one: Code, zero: Code) -> Code {
        let runtime = &self.runtime;
        match (self.signature.over_ranks, self.communicator()) {
            (Some(OverRanks::Replicated), Some(Argument { name, .. })) => {
                code!(if #runtime::ranks::Engine::own_rank(#name) == 0 { #one } else { #zero })
            }
            _ => one,
        }
    }

    /// The result of a body whose seed is one on one rank, with the comparison that all ranks have it alike.
    pub(super) fn compared_over_ranks(&self, row: &Function, result: Code) -> Code {
        let runtime = &self.runtime;
        match (self.signature.over_ranks, self.communicator()) {
            (Some(OverRanks::Replicated), Some(Argument { name, .. })) if self.has_unit_seed(row) => {
                let function = literal::string(&self.signature.shown());
                code!(#runtime::ranks::replicated(#name, #result, #function))
            }
            _ => result,
        }
    }

    /// A use of the function, so that a private one that is called through its gradient only is not dead code:
    /// which communicator its name alone would be of, nobody could say.
    pub(super) fn use_of_communicators(&self) -> Code {
        let Signature { params, name, owner, attrs, .. } = self.signature;
        let is_plain = owner.is_none() && params.iter().all(|param| param.vector.is_none());
        let is_plain = is_plain && self.signature.borrowed.is_empty();
        if self.communicator().is_none() || !is_plain || !deprecation(attrs).is_empty() {
            return code!();
        }
        let (generics, clause) = self.generics();
        let names: Vec<Code> = params.iter().map(|Param { name, .. }| code!(#name)).collect();
        let typed = params.iter().map(|Param { name, ty, .. }| {
            let ty = user(ty);
            code!(#name: #ty)
        });
        // it is there to be checked by rustc, and nobody calls it
        code! {
            #[allow(dead_code)]
            fn mentioned #generics (#(#typed),*) #clause { let _ = #name(#(#names),*); }
        }
    }

    /// What a function asks for whose seed is one, where nobody has said whose result it is.
    pub(super) fn asks_whose_result(&self) -> Option<Code> {
        let (runtime, engine) = (&self.runtime, self.engine()?);
        let unsaid = self.signature.over_ranks.is_none();
        unsaid.then(|| code!(#engine: #runtime::ranks::SaysWhoseResultItIs))
    }
}
