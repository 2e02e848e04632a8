//! Communicators and their ranks, as the crate `mpi` has them: values of integers.
//!
//! ```text
//! world: &impl Communicator         (which, rank, size): which of the communicators of the function, this rank, how many
//! world.process_at_rank(k)          (which, k, rank, size): of which communicator, its number there, this rank, how many
//! a request                         a number that says nothing: its scope knows what it stands for
//! a scope, a collection             nothing
//! ```
//!
//! So helpers, structs and options hold them as they hold any other numbers. A type parameter that stands for
//! communicators is read as `impl Communicator`.

use crate::ir::{Int, Operation, Side, Ty};
use crate::refusal::Refusal;
use crate::signature::{Content, Field, Record};
use crate::visit::changing::{self, VisitMut};
use proc_macro2::Span;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{FnArg, GenericParam, Ident, ItemFn, Member, Type, TypeParamBound, WherePredicate};

/// The names of a communicator and of a rank of one.
pub(super) const COMMUNICATOR: &str = "Communicator";
pub(super) const PROCESS: &str = "Process";
/// Those of messages that do not wait.
pub(super) const REQUEST: &str = "Request";
pub(super) const SCOPE: &str = "LocalScope";
pub(super) const COLLECTION: &str = "RequestCollection";
/// What waiting for a collection says of each message.
pub(super) const COMPLETED: &str = "Completed";

/// The numbers of a communicator.
pub(super) const WHICH: usize = 0;
pub(super) const RANK: usize = 1;
pub(super) const SIZE: usize = 2;
/// Those of its communicator that a rank has besides its own, which is at `RANK`.
pub(super) const THIS_RANK: usize = 2;
pub(super) const SIZE_AROUND: usize = 3;

/// Which buffers an operation between ranks has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sides {
    Neither,
    Sent,
    Received,
    /// What is sent, then what is received.
    Both,
    /// One buffer for both.
    InPlace,
}

/// What ranks do with each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BetweenRanks {
    /// An operation: the number of the communicator, its operands, what is sent, what is received.
    Operation(Operation, Sides),
    /// A scope of requests, with its body.
    Scope,
    /// Begins a message: the number of the communicator, the rank, the tag, and what is sent or received; a
    /// request.
    Begin(Side),
    /// Waits for a request.
    Wait,
    /// Adds a request to the collection of the scope, and has no value: its position is of no use.
    Collect,
    /// How many requests the collection has.
    Collected,
    /// Waits for all requests of the collection.
    WaitForCollected,
}

/// The record that a type of the crate `mpi` is read as, by its last name.
pub(super) fn record(ty: &Type) -> Option<Result<Rc<Record>, Refusal>> {
    let bounds = match ty {
        Type::ImplTrait(ty) => &ty.bounds,
        Type::TraitObject(ty) => &ty.bounds,
        Type::Path(path) if path.qself.is_none() => {
            return match path.path.segments.last()?.ident.to_string().as_str() {
                "SimpleCommunicator" | "CartesianCommunicator" => Some(Ok(communicator())),
                PROCESS => Some(Ok(process())),
                "AnyProcess" => Some(Err(any_process(ty.span()))),
                REQUEST => Some(Ok(request())),
                SCOPE => Some(Ok(scope())),
                COLLECTION => Some(Ok(collection())),
                "StaticScope" => Some(Err(static_scope(ty.span()))),
                _ => None,
            };
        }
        _ => return None,
    };
    bounds.iter().any(is_bound).then(|| Ok(communicator()))
}

/// Whether a bound is that of communicators.
pub(super) fn is_bound(bound: &TypeParamBound) -> bool {
    matches!(bound, TypeParamBound::Trait(bound) if is_trait(&bound.path))
}

/// Whether a trait is one of communicators.
pub(super) fn is_trait(path: &syn::Path) -> bool {
    let last = path.segments.last();
    last.is_some_and(|last| last.ident == COMMUNICATOR || last.ident == "CommunicatorCollectives")
}

pub(super) fn any_process(span: Span) -> Refusal {
    Refusal::new(
        span,
        "a message from any rank",
        "which one it comes from is not the same in every run, and its adjoint must go back there",
        "name the rank: `world.process_at_rank(rank)`",
    )
}

pub(super) fn static_scope(span: Span) -> Refusal {
    Refusal::new(
        span,
        "requests outside of a scope",
        "where the last one is waited for would be known only at run time",
        "write `mpi::request::scope(|scope| { … })`, and wait for them there",
    )
}

/// Whether a record is a communicator.
pub(super) fn is_communicator(record: &Record) -> bool {
    is_known(record) && record.name.as_ref().is_some_and(|name| name == COMMUNICATOR)
}

/// Whether a record is a communicator or a rank of one, and none of the user's of the same name.
pub(super) fn is_known(record: &Record) -> bool {
    record.derives == [CRATE]
}

/// What no struct derives.
const CRATE: &str = "mpi::";

pub(super) fn communicator() -> Rc<Record> {
    of(COMMUNICATOR, &["which", "rank", "size"])
}

pub(super) fn process() -> Rc<Record> {
    of(PROCESS, &["which", "rank", "this_rank", "size"])
}

pub(super) fn request() -> Rc<Record> {
    of(REQUEST, &["number"])
}

pub(super) fn scope() -> Rc<Record> {
    of(SCOPE, &[])
}

pub(super) fn collection() -> Rc<Record> {
    of(COLLECTION, &[])
}

pub(super) fn completed() -> Rc<Record> {
    of(COMPLETED, &["number"])
}

fn of(name: &str, fields: &[&str]) -> Rc<Record> {
    let field = |name: &&str| Field {
        member: Member::Named(Ident::new(name, Span::call_site())),
        ty: syn::parse_quote!(i32),
        content: Content::Scalar(Ty::Int(Int::I32)),
    };
    let name = Some(Ident::new(name, Span::call_site()));
    let fields = fields.iter().map(field).collect();
    Rc::new(Record {
        arguments: Vec::new(),
        name,
        fields,
        derives: vec![CRATE.to_owned()],
        variants: Vec::new(),
        of_crate: None,
        is_option: false,
    })
}

/// The function with `impl Communicator` in place of its type parameters that stand for communicators.
pub(super) fn without_parameters(mut item: ItemFn) -> ItemFn {
    let generics = &mut item.sig.generics;
    let mut clause = generics.where_clause.take();
    let mut found: Vec<(Ident, Type)> = Vec::new();
    let params = std::mem::take(&mut generics.params).into_pairs().filter(|pair| {
        let GenericParam::Type(param) = pair.value() else { return true };
        let mut bounds: Vec<TypeParamBound> = param.bounds.iter().cloned().collect();
        let of_param = |predicate: &&WherePredicate| names(predicate, &param.ident);
        for predicate in clause.iter().flat_map(|clause| &clause.predicates).filter(of_param) {
            if let WherePredicate::Type(predicate) = predicate {
                bounds.extend(predicate.bounds.iter().cloned());
            }
        }
        let stands = bounds.iter().any(is_bound);
        if stands {
            found.push((param.ident.clone(), syn::parse_quote!((impl #(#bounds)+*))));
        }
        !stands
    });
    let params = params.collect();
    generics.params = params;
    if let Some(clause) = &mut clause {
        let kept = std::mem::take(&mut clause.predicates).into_iter();
        clause.predicates = kept.filter(|it| !found.iter().any(|(name, _)| names(it, name))).collect();
    }
    generics.where_clause = clause.filter(|clause| !clause.predicates.is_empty());
    if !found.is_empty() {
        let mut named = Named(found);
        for input in &mut item.sig.inputs {
            if let FnArg::Typed(arg) = input {
                named.visit_type_mut(&mut arg.ty);
            }
        }
    }
    item
}

fn names(predicate: &WherePredicate, param: &Ident) -> bool {
    let WherePredicate::Type(predicate) = predicate else { return false };
    matches!(&predicate.bounded_ty, Type::Path(path) if path.path.is_ident(param))
}

/// Type parameters, and what to write in place of them.
struct Named(Vec<(Ident, Type)>);

impl VisitMut for Named {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        let found = match &*ty {
            Type::Path(path) => self.0.iter().find(|(name, _)| path.path.is_ident(name)),
            _ => None,
        };
        match found {
            Some((_, bounds)) => *ty = bounds.clone(),
            None => changing::visit_type_mut(self, ty),
        }
    }
}
