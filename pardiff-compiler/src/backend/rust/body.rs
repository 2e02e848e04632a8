//! The bodies of the generated functions, one a mode: methods of `f::Bodies`, which stand beside `f` and so see what `f` sees.

use super::contract::Contract;
use super::contract_ndarray as nd;
use super::contract_records::{chosen, initial};
use super::contract_types::{array_of, referent};
use super::emitter::{Emitter, Mentions};
use super::isa_dispatch::{self, Levels};
use super::names::Names;
use super::storage::{Fields, Storage};
use super::task::{KnownTasks, Tasks, has_tasks};
use super::{Code, code, literal, user};
use crate::backend::interface::Access;
use crate::ir::{BufferId, Derivative, ExprKind, Int, Program, Role, walk};
use crate::modes::{Entry, Mode, Tape};
use crate::signature::{Leaf, ParamKind, ResultShape, Returned};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::rc::Rc;
use syn::Type;

/// `value(args…)`: the primal. `accumulate(overwrite, args…, seeds…)`: the primal, and its gradient added to the adjoints,
/// which are set to zero first if `overwrite`.
///
/// `tasks` are those of the bodies so far.
pub(super) fn body(contract: &Contract<'_>, entry: &Entry, tasks: &Rc<KnownTasks>) -> Code {
    let (signature, program, mode) = (contract.signature, &entry.program, entry.mode);
    let mut names = Names::default();
    let mut host: Vec<(BufferId, Storage)> = Vec::new();
    // of the function, and of its code where that computes with the slices of arrays
    let mut parameters: Vec<Code> = Vec::new();
    let mut forwarded: Vec<Ident> = Vec::new();
    let mut arguments: Vec<(Ident, Code)> = Vec::new();
    let mut slices = Code::new();
    let mut opened = Code::new();
    let mut communicators: Vec<Ident> = Vec::new();
    let mentioned = Mentions::of(program, &program.body).buffers;
    let runtime = &contract.runtime;
    // parts of structs that own vectors or options, and zeros in adjoints of them
    let (mut lent, mut lent_zeros, mut needs_arena) = (Code::new(), Code::new(), false);

    // names of the interface first: they are the user's
    let overwrite = contract.overwrite.clone();
    for name in contract.all_names() {
        names.fresh(&super::names::unraw(name));
    }
    let arena = names.fresh("arena");
    if mode.accumulates() {
        parameters.push(code!(#overwrite: bool));
        forwarded.push(overwrite.clone());
        arguments.push((overwrite.clone(), code!(bool)));
    }
    for argument in contract.interface.of_mode(mode) {
        let (name, ty) = (&argument.name, contract.type_beside(argument));
        let binding = nd::binding(argument);
        parameters.push(code!(#binding #name: #ty));
        forwarded.push(name.clone());
        let leaves = argument.leaves(program);
        if argument.param.kind.is_communicator() {
            let number = literal::usize(communicators.len());
            let values = [
                code!(#number as i32),
                code!(#runtime::ranks::Messages::rank(#name)),
                code!(#runtime::ranks::Messages::size(#name)),
            ];
            for ((buffer, _), value) in leaves.into_iter().zip(values) {
                let own = names.fresh(&program[buffer].name);
                if mentioned.contains(buffer) {
                    opened.push(code!(let #own: i32 = #value;));
                    arguments.push((own.clone(), code!(i32)));
                }
                host.push((buffer, Storage::Scalar { name: own, reference: false }));
            }
            arguments.push((name.clone(), ty));
            communicators.push(name.clone());
            continue;
        }
        if let ParamKind::NdArray { .. } = argument.param.kind {
            for (buffer, _) in leaves {
                let rank = program[buffer].rank();
                let Some(slice) = contract.slice(argument, mode, rank, &arena, &mut names) else { continue };
                slices.push(slice.bound);
                arguments.extend(slice.arguments);
                host.push((buffer, slice.storage));
            }
            continue;
        }
        if let ParamKind::Rows { .. } = argument.param.kind {
            for (buffer, _) in leaves {
                let Some(slice) = contract.slice_of_rows(argument, mode, &arena, &mut names) else {
                    continue;
                };
                slices.push(slice.bound);
                arguments.extend(slice.arguments);
                host.push((buffer, slice.storage));
            }
            continue;
        }
        if let Some(fields) = contract.fields(argument, program, mode, &arena, &mut names) {
            for field in fields {
                for (buffer, leaf) in &field.leaves {
                    let of_rows = field.rows.as_ref().map(|rows| rows.storage.clone());
                    let storage = of_rows.unwrap_or_else(|| {
                        storage(contract, program, *buffer, &field.name, field.kind, leaf)
                    });
                    host.push((*buffer, storage));
                }
                needs_arena |= field.rows.is_some();
                if mode.accumulates() && argument.access == Access::Add {
                    lent_zeros.push(field.cleared(entry, &contract.runtime, has_tasks(&program.body)));
                }
                lent.push(field.bound);
                arguments.extend(field.rows.into_iter().flat_map(|rows| rows.extents));
                arguments.push((field.name, field.ty));
            }
            continue;
        }
        for (buffer, leaf) in leaves {
            let leaf = &in_batch(leaf, &argument.param.ty, argument.batch);
            host.push((buffer, storage(contract, program, buffer, name, argument.kind(), leaf)));
        }
        arguments.push((name.clone(), ty));
    }
    if let Some((name, ty)) = contract.tape_parameter(mode, false) {
        parameters.push(code!(#name: #ty));
        forwarded.push(name.clone());
        let read = contract.tape_read(program, &mut names);
        opened.push(read.bound);
        host.extend(read.host);
        match mode.runs_primal() {
            true => arguments.push((name, ty)),
            false => arguments.extend(read.arguments),
        }
    }
    let batch_of = |step| contract.batch.filter(|_| mode.is_batched(&[step]));
    let (seeds_batch, tangents_batch) = (batch_of(Derivative::Adjoint), batch_of(Derivative::Tangent));
    for seed in contract.interface.seeds.iter().filter(|_| mode.takes_seeds(contract.lone_float().is_some()))
    {
        let (name, ty) = (&seed.name, user(&contract.of_seed(&seed.member.ty, seeds_batch.is_some())));
        for (buffer, leaf) in seed.leaves(program) {
            let leaf = &in_batch(leaf, &seed.member.ty, seeds_batch);
            host.push((buffer, storage(contract, program, buffer, name, ParamKind::Array, leaf)));
        }
        parameters.push(code!(#name: #ty));
        forwarded.push(name.clone());
        arguments.push((name.clone(), ty));
    }
    if let Some(buffer) = entry.flag {
        host.push((buffer, Storage::Scalar { name: overwrite, reference: false }));
    }

    let mut scalars: Vec<BufferId> = Vec::new();
    // results that are declared with the user's types
    let mut declared: Vec<(Vec<BufferId>, Ident, &Returned, Type)> = Vec::new();
    let (mut results, mut kinds): (Vec<Ident>, Vec<Code>) = Default::default();
    let mut buffers = program.results.iter().copied();
    for member in contract.returned().iter().filter(|_| mode.runs_primal()) {
        let name = names.fresh("result");
        results.push(name.clone());
        let own: Vec<BufferId> = buffers.by_ref().take(member.leaves.len()).collect();
        match (&own[..], &member.record) {
            (&[result], None) if program[result].rank() == 0 => {
                scalars.push(result);
                host.push((result, Storage::Scalar { name, reference: false }));
            }
            _ => {
                for (buffer, leaf) in own.iter().zip(&member.leaves) {
                    if let (Some(_), Some(record)) = (&leaf.of_enum, &member.record) {
                        let kind = names.fresh("result_kind");
                        scalars.push(*buffer);
                        kinds.extend(chosen(record, leaf, &name, &kind, runtime));
                        host.push((*buffer, Storage::Scalar { name: kind, reference: false }));
                        continue;
                    }
                    let fields = fields(contract, &name, leaf);
                    host.push((*buffer, Storage::Host { name: name.clone(), fields: Rc::new(fields) }));
                }
                declared.push((own, name, member, member.ty.clone()));
            }
        }
    }

    // the tangents of these
    let mut tangents: Vec<Ident> = Vec::new();
    for seed in contract.interface.seeds.iter().filter(|_| mode.returns_tangent()) {
        let (name, own) = (names.fresh("result_tangent"), seed.tangents(program));
        tangents.push(name.clone());
        match (&own[..], &seed.member.record) {
            (&[(result, _)], None) if program[result].rank() == 0 => {
                scalars.push(result);
                host.push((result, Storage::Scalar { name, reference: false }));
            }
            _ => {
                for (buffer, leaf) in &own {
                    let fields = fields(contract, &name, &in_batch(leaf, &seed.member.ty, tangents_batch));
                    host.push((*buffer, Storage::Host { name: name.clone(), fields: Rc::new(fields) }));
                }
                let ty = contract.of_seed(&seed.member.ty, tangents_batch.is_some());
                declared.push((own.into_iter().map(|(buffer, _)| buffer).collect(), name, seed.member, ty));
            }
        }
    }

    let consts = signature.generics.const_params().map(|param| syn::GenericParam::Const(param.clone()));
    let consts = syn::Generics { params: consts.collect(), ..syn::Generics::default() };
    let mut emitter = Emitter::new(program, contract.runtime.clone(), &consts, &mut names, host);
    emitter.name_paths(user_words(contract, program, mode));
    emitter.name_arena(&arena);
    emitter.communicators = Rc::new(communicators);
    emitter.tape = (mode.tape() == Some(Tape::Written)).then(|| Rc::clone(&contract.tape));
    emitter.by_level = isa_dispatch::is_worth_levels(&emitter, &program.body) && !entry.is_portable;
    let has_levels = emitter.by_level || has_tasks(&program.body);
    let portable = entry.portable.as_ref().filter(|_| has_levels);
    emitter.portable = portable.is_some();
    emitter.tasks.replace(Tasks::of(entry.name(), tasks));
    let runtime = &emitter.runtime;
    let arrays = declared.iter().map(|(buffers, name, member, ty)| {
        let has_enums = member.record.as_ref().is_some_and(|record| record.has_enums());
        let written = has_enums || buffers.iter().any(|buffer| emitter.writes(*buffer) > 0);
        let mutable = if written { code!(mut) } else { code!() };
        let initial = initial(ty, member.record.as_deref(), runtime);
        let ty = user(ty);
        code!(let #mutable #name: #ty = #initial;)
    });
    let arrays: Code = arrays.collect();
    let bindings = bindings(&emitter, program);
    let room = emitter.make_room(&program.body);
    let statements = emitter.function(&scalars, &program.body);
    let results = match &signature.result {
        ResultShape::Unit => code!(),
        ResultShape::One(_) => code!(#(#results)*),
        ResultShape::Tuple(_) => code!((#(#results,)*)),
    };
    let results = match &tangents[..] {
        [] => results,
        [one] => code!((#results, #one)),
        several => code!((#results, (#(#several),*))),
    };

    let consts = signature.consts.iter().map(|item| user(&item));
    let portable = portable.map(|entry| (body(contract, entry, tasks), entry.name()));
    let (portable, lowest, linted) = match portable {
        None => (code!(), code!(), None),
        Some((items, name)) => {
            let (runtime, consts) = (&contract.runtime, contract.const_arguments());
            let (name, condition) = (Ident::new(name, Span::mixed_site()), isa_dispatch::where_portable());
            let turbofish = if consts.is_empty() { code!() } else { code!(::#consts) };
            let call = code!(Self::#name #turbofish (#(#forwarded),*));
            let lowest = code! {
                #condition
                if #runtime::simd::level() == #runtime::simd::Level::Baseline { return #call; }
            };
            let stands = isa_dispatch::with_portable();
            (code!(#stands #items), lowest, Some(call))
        }
    };
    let method = Ident::new(entry.name(), Span::mixed_site());
    let has_tasks = has_tasks(&program.body);
    slices.push(contract.cleared_slices(entry, has_tasks));
    if !lent_zeros.is_empty() {
        let overwrite = &contract.overwrite;
        lent.push(code!(if #overwrite { #lent_zeros }));
    }
    let entry = contract.entry(entry, has_tasks);
    let (generics, clause) = contract.generics();
    let output = contract.output(mode, false);
    let lends = emitter.lender().is_some() || !slices.is_empty() || needs_arena;
    let path = &contract.runtime;
    let lender = if lends { code!(let #arena = &#path::Arena::new();) } else { code!() };
    let mention = contract.mention();
    let import = emitter.import();
    let mut items = emitter.tasks.take().items;
    let typed = arguments.iter().map(|(name, ty)| code!(#name: #ty));
    let typed = code!(#(#typed),*);
    let names: Vec<Ident> = arguments.into_iter().map(|(name, _)| name).collect();
    let mut body = code!(#import #(#consts)* #bindings #arrays #room #statements #(#kinds)* #results);
    if emitter.by_level {
        let levels = Levels {
            runtime: &contract.runtime,
            name: &format!("{method}_levels"),
            isa: &emitter.isa,
            level: &emitter.level,
            generics: &signature.generics,
            arena: emitter.lender(),
            parameters: typed,
            arguments: code!(#(, #names)*),
            output: contract.value_output(mode),
            aligned: isa_dispatch::fills_registers(&emitter, &emitter.program.body),
            portable: emitter.portable,
        };
        items.push(levels.items(&body));
        let lent = emitter.lender().map(|arena| code!(#arena,));
        // Safety: the level says that the machine has the instructions.
        body = levels.choice(|version, is_safe| match is_safe {
            true => code!(#version(#lent #(#names),*)),
            false => code!(unsafe { #version(#lent #(#names),*) }),
        });
    }
    let computed = code!(#lender #slices #lent #opened #body);
    let computed = match signature.failure.as_ref().filter(|_| mode.runs_primal()) {
        Some(_) => contract.succeeded(code!({ #computed })),
        None => computed,
    };
    let deprecated = contract.allowed_attempt();
    let (parameters, scheduled) =
        (code!(#(#parameters),*), linted.as_ref().map(|_| isa_dispatch::scheduled()));
    let linted = linted.map(|call| {
        let condition = isa_dispatch::linted();
        code!(#condition #deprecated fn #method #generics (#parameters) #output #clause { #call })
    });
    code! {
        #items
        #portable
        #linted
        #scheduled
        #deprecated
        fn #method #generics (#parameters) #output #clause {
            #lowest
            #mention
            #entry
            #computed
        }
    }
}

/// The words of the user's paths and types in a body.
fn user_words(contract: &Contract<'_>, program: &Program, mode: Mode) -> Names {
    let mut names = Names::default();
    let signature = contract.signature;
    let consts = signature.consts.iter().map(|item| item.to_token_stream());
    let opaques = program.opaques.iter().map(|opaque| opaque.tokens.clone());
    let arguments = contract.interface.of_mode(mode).map(|argument| contract.type_beside(argument).tokens());
    let others = [signature.generics.params.to_token_stream(), contract.value_output(mode).tokens()];
    for tokens in consts.chain(opaques).chain(arguments).chain(others) {
        take_words(tokens, &mut names);
    }
    walk(&program.body, &mut |stmt| {
        if let Some((call, ..)) = stmt.as_user_call() {
            take_words(call.function.tokens().clone(), &mut names);
        }
    });
    names.take(&signature.name);
    names
}

fn take_words(tokens: TokenStream, names: &mut Names) {
    for tree in tokens {
        match tree {
            TokenTree::Ident(word) => names.take(&word),
            TokenTree::Group(group) => take_words(group.stream(), names),
            _ => {}
        }
    }
}

/// The representation of a parameter.
fn storage(
    contract: &Contract<'_>,
    program: &Program,
    buffer: BufferId,
    name: &Ident,
    kind: ParamKind,
    leaf: &Leaf,
) -> Storage {
    let reference = matches!(kind, ParamKind::ScalarRef { .. });
    match program[buffer].rank() {
        0 if leaf.path.is_empty() => Storage::Scalar { name: name.clone(), reference },
        _ => {
            let is_reference = reference && leaf.path.len() == 1;
            let fields = Fields { is_reference, ..fields(contract, name, leaf) };
            Storage::Host { name: name.clone(), fields: Rc::new(fields) }
        }
    }
}

/// Where a leaf of a value of this type lies in a batch: behind one index more.
pub(crate) fn in_batch(leaf: &Leaf, ty: &Type, batch: Option<usize>) -> Leaf {
    let (Some(width), false) = (batch, leaf.path.is_empty()) else { return leaf.clone() };
    let path = leaf.path.iter().map(|(depth, member)| (depth + 1, member.clone()));
    let outer = match &leaf.outer {
        Some(outer) => array_of(outer, width),
        None => referent(ty).clone(),
    };
    Leaf { path: path.collect(), outer: Some(outer), ..leaf.clone() }
}

/// The members on the way to a leaf.
fn fields(contract: &Contract<'_>, name: &Ident, leaf: &Leaf) -> Fields {
    let outer = leaf.outer.as_ref().map(user);
    let generics: Vec<String> =
        contract.signature.generics.const_params().map(|param| param.ident.to_string()).collect();
    let generic = leaf
        .outer
        .as_ref()
        .is_some_and(|outer| super::contract_lengths::mentions(outer.to_token_stream(), &generics));
    let (host, path) = (super::names::unraw(name), leaf.path.clone());
    let of_enum = leaf.of_enum.clone().map(|reading| (reading, leaf.elem));
    Fields { host, path, outer, generic, of_enum, is_reference: false }
}

/// User paths and tables, bound to the types that unification found: where the guess is wrong, the type error stands
/// at the user's token.
fn bindings(emitter: &Emitter<'_>, program: &Program) -> Code {
    let mentions = Mentions::of(program, &program.body);
    let mut bindings = Code::new();
    for (at, opaque) in program.opaques.iter().enumerate() {
        let id = crate::ir::OpaqueId(at as u32);
        if mentions.opaques.contains(&id) {
            let (name, ty, path) = (emitter.opaque(id), literal::ty(opaque.ty), &opaque.tokens);
            bindings.push(code!(let #name: #ty = #path;));
        }
    }
    for buffer in program.buffer_ids() {
        if let Role::Table(opaque) = program[buffer].role
            && mentions.buffers.contains(buffer)
        {
            let (name, path) = (emitter.storage(buffer).name(), &program[opaque].tokens);
            let lens = program[buffer].dims.iter().map(|len| match len.kind {
                ExprKind::Int(len) => literal::int(Int::Usize, len, false),
                _ => code!(_),
            });
            let lens: Vec<Code> = lens.collect();
            let elem = literal::ty(program[buffer].elem);
            let row = lens.iter().skip(1).rev().fold(elem, |row, len| code!([#row; #len]));
            // rustc confirms the lengths that are relied on
            bindings.push(match program[buffer].dims.first().map(|len| &len.kind) {
                Some(ExprKind::Int(_)) => {
                    let len = &lens[0];
                    code!(let #name: &[#row; #len] = &#path; let #name: &[#row] = #name;)
                }
                _ => code!(let #name: &[#row] = &#path;),
            });
        }
    }
    bindings
}
