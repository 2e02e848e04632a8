//! The public contract: the names and types of the generated functions' arguments.

use super::contract_attributes::{deprecation, existence};
use super::contract_jacobian::Locals;
use super::contract_lengths::Lengths;
use super::contract_lent as lent;
use super::contract_ndarray as nd;
use super::contract_records::{cleared, outside};
use super::contract_tape::{self, Tape};
use super::contract_types::{batched, element_zero, lent as lent_type, lone_float, relocated};
use super::names::{Names, unraw};
use super::{Code, body, code, literal, user};
use crate::backend::Cuda;
use crate::backend::interface::{Access, Argument, Interface};
use crate::frontend::Asked;
use crate::ir::Derivative;
use crate::modes::{Entry, Mode};
use crate::plan::Plan;
use crate::signature::{Leaf, Owner, ParamKind, ResultShape, Returned, Signature};
use proc_macro2::{Ident, Span, TokenStream};
use std::rc::Rc;
use syn::Type;

/// The interface of the generated functions.
pub(super) struct Contract<'a> {
    /// The user's function.
    pub(super) signature: &'a Signature,
    /// The arguments of the bodies.
    pub(super) interface: Interface<'a>,
    /// The path of the runtime from beside the function.
    pub(super) runtime: Code,
    /// There are no bodies, and types that are not known are taken for floats.
    pub(super) is_stub: bool,
    /// Lengths of arrays in the signature that are found beside the function alone.
    pub(super) lengths: Lengths,
    /// What is generated.
    pub(super) modes: Vec<Mode>,
    /// How many directions or seeds the vector modes take.
    pub(super) batch: Option<usize>,
    /// Whether derivatives can be checked.
    pub(super) checks: bool,
    /// The tape between the sweeps.
    pub(super) tape: Rc<Tape>,
    /// A local for the value in `gradient`.
    pub(super) value: Ident,
    /// Locals for what outputs hold before a function that may fail runs, in the order of parameters.
    pub(super) kept: Vec<Ident>,
    /// Locals of `jacobian`.
    pub(super) locals: Locals,
    /// The argument of a body that says whether the adjoints of inputs start from zero.
    pub(super) overwrite: Ident,
}

/// The module and the bodies.
pub(super) fn expansion(
    signature: &Signature,
    entries: &[Entry],
    asked: Asked,
    plan: &Plan,
    cuda: &Cuda,
) -> Code {
    let modes: Vec<Mode> = entries.iter().map(|entry| entry.mode).collect();
    let mut contract = Contract::new(signature, &modes, asked, false);
    let mut of_bodies = signature.written.as_deref().map(|it| Contract::new(it, &modes, asked, false));
    for contract in [&mut contract].into_iter().chain(&mut of_bodies) {
        let (name, fields) = (contract.tape.name.clone(), contract_tape::fields(entries));
        contract.tape = Rc::new(Tape { name, fields });
    }
    let (module, on_gpu) = (contract.module(plan, cuda), &cuda.body);
    let (lengths, mentioned) = (contract.lengths.constants(), contract.use_of_communicators());
    let check = contract.checks.then(|| contract.check_body());
    let proofs = contract.proofs();
    let tasks = Rc::default();
    let bodies =
        entries.iter().map(|entry| body::body(of_bodies.as_ref().unwrap_or(&contract), entry, &tasks));
    let returning =
        of_bodies.iter().flat_map(|inner| modes.iter().map(|mode| contract.returning_body(inner, *mode)));
    let (name, attrs) = (&signature.module, existence(&signature.attrs));
    let name = generated(name);
    // some lints of clippy look into expansions; they are about what people write
    code! {
        #module
        #attrs
        #[allow(clippy::all)]
        impl #name::Bodies {
            #lengths
            #mentioned
            #(#bodies)*
            #(#returning)*
            #check
            #on_gpu
        }
        #proofs
    }
}

/// A module with the right signatures for a function that was refused, so that `f::grad` still resolves.
pub fn stub(signature: &Signature, asked: Asked, cuda: &Cuda) -> TokenStream {
    let plan = Plan { summary: "refused: see the compile error".to_owned(), ..Plan::default() };
    Contract::new(signature, &Mode::asked(asked), asked, true).module(&plan, cuda).tokens()
}

impl<'a> Contract<'a> {
    pub(super) fn new(signature: &'a Signature, modes: &[Mode], asked: Asked, is_stub: bool) -> Contract<'a> {
        let mut names = Names::default();
        let interface = Interface::of(signature, modes, asked.batch, is_stub, &mut names);
        let krate = &signature.krate;
        let overwrite = names.fresh("overwrite");
        let value = names.fresh("value");
        let kept = signature.params.iter().map(|_| names.fresh("kept")).collect();
        let tape = Rc::new(Tape { name: names.fresh("tape"), fields: Vec::new() });
        let locals = Locals {
            first: names.fresh("first"),
            member: names.fresh("member"),
            tangents: names.fresh("tangents"),
            column: names.fresh("column"),
            all: names.fresh("all"),
        };
        Contract {
            signature,
            interface,
            runtime: code!(#krate::runtime),
            modes: modes.to_vec(),
            batch: asked.batch,
            checks: asked.check,
            is_stub,
            lengths: Lengths::of(signature),
            tape,
            value,
            kept,
            locals,
            overwrite,
        }
    }

    /// What is returned, in order.
    pub(super) fn returned(&self) -> &'a [Returned] {
        self.signature.result.members()
    }

    /// Every name of the interface.
    pub(super) fn all_names(&self) -> impl Iterator<Item = &Ident> {
        let Interface { arguments, seed, seeds, .. } = &self.interface;
        let consts = self.signature.generics.const_params().map(|param| &param.ident);
        let arguments = arguments.iter().map(|argument| &argument.name);
        let seeds = seeds.iter().map(|it| &it.name).filter(move |name| *name != seed);
        let tape = self.has_tape().then_some(&self.tape.name);
        consts.chain(arguments).chain([&self.overwrite, seed]).chain(seeds).chain(tape)
    }

    /// Generics and `where` clause of a generated function.
    pub(super) fn generics(&self) -> (Code, Code) {
        let generics = &self.signature.generics;
        (user(generics), user(&generics.where_clause))
    }

    /// `<N, M>` where the function has const parameters.
    pub(super) fn const_arguments(&self) -> Code {
        let params = self.signature.generics.const_params();
        let names: Vec<Code> = params.map(|param| user(&param.ident)).collect();
        if names.is_empty() { code!() } else { code!(<#(#names),*>) }
    }

    /// A mention of the function, so that a private one that is called through its gradient only is not dead code.
    pub(super) fn mention(&self) -> Code {
        let of_many = self.signature.owner.as_ref().is_some_and(|owner| !owner.params.is_empty());
        let of_many = of_many || self.signature.has_unnamed_types || !self.signature.functions.is_empty();
        if !deprecation(&self.signature.attrs).is_empty() || self.communicator().is_some() || of_many {
            // the mention would be a use of something deprecated, or not say which communicator or which trait it
            // is of
            return code!();
        }
        let callee = self.callee();
        code!(let _ = #callee;)
    }

    /// A call of the function beside it, with the functions that stand in the place of parameters.
    pub(super) fn call_of_callee(&self, arguments: Vec<Code>) -> Code {
        let (made, mut arguments) = self.made_of_parts(arguments);
        for given in &self.signature.functions {
            let (path, reference) = (user(&given.path), given.is_reference.then(|| code!(&)));
            arguments.insert(given.at.min(arguments.len()), code!(#reference #path));
        }
        let callee = self.callee();
        let call = code!(#callee(#(#arguments),*));
        let call = if made.is_empty() { call } else { code!({ #made #call }) };
        match (self.signature.lends, &self.signature.failure) {
            (false, _) => call,
            (true, None) => code!(::core::clone::Clone::clone(#call)),
            (true, Some(_)) => code!(#call.cloned()),
        }
    }

    /// The function as it is called beside it.
    pub(super) fn callee(&self) -> Code {
        // with its own span: a parameter of the same name is not meant
        let Signature { name, owner, .. } = self.signature;
        let name = match owner {
            None => code!(#name),
            Some(Owner { path, .. }) => {
                let path = user(path);
                code!(#path::#name)
            }
        };
        let arguments: Vec<Code> = self.signature.called_with.iter().map(user).collect();
        if arguments.is_empty() { name } else { code!(#name::<#(#arguments),*>) }
    }

    /// `-> R`, or `-> (R, T)` with the tangent of the floats that are returned; of a function that may fail, `-> Result<R, E>`.
    pub(super) fn output(&self, mode: Mode, inside: bool) -> Code {
        self.returning(self.value_of_mode(mode, inside), mode.runs_primal(), inside)
    }

    /// The same where there is a value.
    pub(super) fn value_output(&self, mode: Mode) -> Code {
        self.value_of_mode(mode, false).map_or(code!(), |ty| code!(-> #ty))
    }

    fn value_of_mode(&self, mode: Mode, inside: bool) -> Option<Code> {
        if !mode.runs_primal() {
            return None;
        }
        let is_batched = mode.is_batched(&[Derivative::Tangent]);
        let tangent = self.seed_type(inside, is_batched).filter(|_| mode.returns_tangent());
        match (self.result_type(inside), tangent) {
            (Some(ty), Some(tangent)) => Some(code!((#ty, #tangent))),
            (ty, _) => ty,
        }
    }

    pub(super) fn result_type(&self, inside: bool) -> Option<Code> {
        let tokens = |ty: &Type| {
            let ty = if inside { self.inside(ty) } else { ty.clone() };
            user(&ty)
        };
        match &self.signature.result {
            ResultShape::Unit => None,
            ResultShape::One(one) => Some(tokens(&one.ty)),
            ResultShape::Tuple(members) => {
                let members = members.iter().map(|member| tokens(&member.ty));
                Some(code!((#(#members,)*)))
            }
        }
    }

    /// `clippy::too_many_arguments` is about functions that people write.
    pub(super) fn allow_arguments(&self, count: usize) -> Code {
        if count > 7 { code!(#[allow(clippy::too_many_arguments)]) } else { code!() }
    }

    /// What a body does first: the checks of shapes, before anything is written, then the zeros, by tasks if it has some.
    pub(super) fn entry(&self, entry: &Entry, tasks: bool) -> Code {
        let (runtime, overwrite) = (&self.runtime, &self.overwrite);
        let function = literal::string(&self.signature.shown());
        let mut tokens = self.tape_at_entry(entry.mode);
        tokens.push(self.attempt(entry.mode));
        let mut zeros = Code::new();
        for argument in self.interface.companions(entry.mode) {
            let Argument { param, primal, name, .. } = argument;
            let derivative = literal::string(argument.word());
            let is_alone = self.is_alone(entry.mode, argument);
            if matches!(param.kind, ParamKind::Slice { .. }) && !is_alone {
                let [adjoint, array] = [name, primal].map(|it| literal::string(&lent::called(argument, it)));
                tokens.push(code! {
                    if #name.len() != #primal.len() {
                        #runtime::wrong_shape(#function, #derivative, #adjoint, #name.len(), #array, #primal.len())
                    }
                });
            }
            if matches!(param.kind, ParamKind::NdArray { .. }) && !is_alone {
                let (adjoint, array) = (literal::string(&unraw(name)), literal::string(&unraw(primal)));
                tokens.push(nd::alike(argument, runtime, &function, (&derivative, &adjoint), &array));
            }
            if !is_alone {
                tokens.push(match param.kind {
                    ParamKind::Rows { .. } => self.shape_of_rows(argument),
                    _ => self.lengths_of_vectors(argument),
                });
            }
            let unset = self.unset(entry, argument);
            match param.kind {
                // those are cleared as bodies take them
                _ if lent::owner(param).is_some() || param.elements.is_some() => {}
                _ if unset.is_empty() => {}
                _ if param.record.is_some() => {
                    zeros.extend(unset.into_iter().map(|leaf| cleared(name, leaf, param.kind, runtime)));
                }
                // the slices of these are cleared, behind their copies
                ParamKind::NdArray { .. } | ParamKind::Rows { .. } => {}
                ParamKind::Scalar | ParamKind::ScalarRef { .. } => zeros.push(code!(*#name = 0.0;)),
                kind => {
                    let zero = element_zero(&param.ty, runtime);
                    zeros.push(match kind {
                        ParamKind::Slice { .. } if tasks => code!(#runtime::fill(#name, #zero);),
                        _ => code!(#name.fill(#zero);),
                    });
                }
            }
        }
        if !zeros.is_empty() {
            tokens.push(code!(if #overwrite { #zeros }));
        }
        tokens
    }

    /// The parts of an argument that are set to zero before a body runs if adjoints start from zero.
    pub(super) fn unset(&self, entry: &Entry, argument: &Argument<'a>) -> Vec<&'a Leaf> {
        let leaves = argument.leaves(&entry.program).into_iter();
        let is_unset = entry.mode.accumulates() && argument.access == Access::Add;
        let unset = leaves.filter(|(id, _)| is_unset && !entry.zeroed.contains(id));
        unset.map(|(_, leaf)| leaf).collect()
    }

    /// Whether the function returns one float and nothing else; its type.
    pub(super) fn lone_float(&self) -> Option<&'a Type> {
        lone_float(self.signature, self.is_stub)
    }

    /// The type as it is written inside the module.
    pub(super) fn inside(&self, ty: &Type) -> Type {
        if self.is_stub {
            return relocated(ty);
        }
        let mut ty = self.lengths.replaced(ty);
        outside(&mut ty, self.signature);
        ty
    }

    /// The type of an argument as it is written inside the module.
    pub(super) fn type_inside(&self, argument: &Argument<'_>) -> Code {
        if let Some(ty) = self.communicator_outside(argument) {
            return ty;
        }
        nd::written_type(argument, &self.runtime)
            .unwrap_or_else(|| argument.written_type(&self.inside(&argument.param.ty)))
    }

    /// The type of an argument as it is written beside the function.
    pub(super) fn type_beside(&self, argument: &Argument<'_>) -> Code {
        if let Some(ty) = self.communicator_inside(argument) {
            return ty;
        }
        let ty = &argument.param.ty;
        let companion = || nd::written_type(argument, &self.runtime).filter(|_| !argument.is_primal());
        companion().unwrap_or_else(|| argument.written_type(ty))
    }

    /// The type of a derivative of something that is returned.
    pub(super) fn of_seed(&self, ty: &Type, is_batched: bool) -> Type {
        match self.batch.filter(|_| is_batched) {
            Some(width) => batched(ty, width),
            None => ty.clone(),
        }
    }

    /// The type of the seed of `vjp`, if there is one, inside the module or beside the function; of a batch of seeds.
    pub(super) fn seed_type(&self, inside: bool, is_batched: bool) -> Option<Code> {
        let types = self.interface.seeds.iter().map(|seed| self.of_seed(&seed.member.ty, is_batched));
        self.together(types, inside)
    }

    /// The type of the argument `seed`: what is a vector is lent as a slice.
    pub(super) fn seed_argument(&self, is_batched: bool) -> Option<Code> {
        let types = self.interface.seeds.iter();
        self.together(
            types.map(|seed| lent_type(seed.member, &self.of_seed(&seed.member.ty, is_batched))),
            true,
        )
    }

    /// One type, or a tuple of several.
    fn together(&self, types: impl Iterator<Item = Type>, inside: bool) -> Option<Code> {
        let types = types.map(|ty| user(&if inside { self.inside(&ty) } else { ty }));
        let types: Vec<Code> = types.collect();
        match &types[..] {
            [] => None,
            [one] => Some(one.clone()),
            types => Some(code!((#(#types),*))),
        }
    }

    /// The method of `Bodies` that public functions of a mode call.
    pub(super) fn called_body(&self, mode: Mode) -> Ident {
        let name = match self.signature.written {
            Some(_) if self.signature.returns_vectors() => format!("{}_returning", mode.body()),
            Some(_) => format!("{}_converting", mode.body()),
            None => mode.body().to_owned(),
        };
        Ident::new(&name, Span::mixed_site())
    }
}

/// A type as it is written inside the module of the function.
#[cfg(feature = "cuda")]
pub(crate) fn inside(signature: &Signature, ty: &Type) -> Type {
    let mut ty = Lengths::of(signature).replaced(ty);
    outside(&mut ty, signature);
    ty
}

/// The user's name as a name of the generated code, at its place in the source: hovering the function shows the module.
pub(super) fn generated(name: &Ident) -> Ident {
    let mut ident = super::names::ident(&unraw(name));
    ident.set_span(name.span().resolved_at(Span::mixed_site()));
    ident
}
