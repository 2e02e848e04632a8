//! `Tape`: what `f::forward` leaves for `f::backward`.
//!
//! ```text
//! pub struct Tape { stamp: Stamp, rest_tape: Kept<f64, 1>, is_less: bool }
//!
//! fn forward(x: &[f64], tape: &mut Tape) -> f64 {
//!     *tape = Default::default();                           // gives the memory of an earlier call back to the pool
//!     tape.stamp.begin(&[("the length of `x`", x.len())]);
//!     …the forward sweep…
//!     tape.rest_tape = Kept::new(arena, rest_tape, [n]);    // the seam
//!     tape.stamp.complete();
//! }
//!
//! fn backward(x: &[f64], d_x: &mut [f64], tape: &Tape, seed: f64) {
//!     tape.stamp.check("f::backward", &[("the length of `x`", x.len())]);
//!     let rest_tape = tape.rest_tape.elements();
//!     …the reverse sweep…
//! }
//! ```

use super::contract::{Contract, generated};
use super::contract_conversions::variants;
use super::contract_docs as docs;
use super::emitter::Emitter;
use super::names::{Names, unraw};
use super::storage::Storage;
use super::{Code, code, literal};
use crate::backend::interface::{Access, Argument};
use crate::ir::{BufferId, Callee, Expr, Program, StmtKind, Ty};
use crate::modes::{self, Entry, Mode};
use crate::signature::ParamKind;
use proc_macro2::Ident;

/// The tape of a function.
pub(super) struct Tape {
    /// The argument.
    pub(super) name: Ident,
    /// What it holds.
    pub(super) fields: Vec<Field>,
}

/// A buffer of the tape.
#[derive(Clone)]
pub(super) struct Field {
    buffer: BufferId,
    name: Ident,
    elem: Ty,
    rank: usize,
}

/// What the forward sweep keeps.
pub(super) fn fields(entries: &[Entry]) -> Vec<Field> {
    let Some(forward) = entries.iter().find(|entry| entry.mode.tape() == Some(modes::Tape::Written)) else {
        return Vec::new();
    };
    let (program, mut kept) = (&forward.program, Vec::new());
    for stmt in &program.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Call { callee: Callee::Seam, reads, .. } = &stmt.kind {
                kept.clone_from(reads);
            }
        });
    }
    let mut names = Names::default();
    names.fresh("stamp");
    let field = |buffer: BufferId| Field {
        buffer,
        name: names.fresh(&program[buffer].name),
        elem: program[buffer].elem,
        rank: program[buffer].rank(),
    };
    kept.into_iter().map(field).collect()
}

impl Contract<'_> {
    /// `Tape`, inside the module.
    pub(super) fn tape_structure(&self) -> Option<Code> {
        self.has_tape().then_some(())?;
        let runtime = &self.runtime;
        let fields = self.tape.fields.iter().map(|Field { name, elem, rank, .. }| {
            let elem = literal::ty(*elem);
            match *rank {
                0 => code!(pub(super) #name: #elem,),
                rank => {
                    let rank = literal::usize(rank);
                    code!(pub(super) #name: #runtime::Kept<#elem, #rank>,)
                }
            }
        });
        let doc = docs::attribute(&docs::tape(&self.signature.shown()));
        let stamp = (!self.is_stub).then(|| code!(pub(super) stamp: #runtime::Stamp,));
        Some(code! {
            #doc
            #[derive(::core::fmt::Debug, ::core::default::Default)]
            pub struct Tape { #stamp #(#fields)* }
        })
    }

    /// Whether a sweep leaves one.
    pub(super) fn has_tape(&self) -> bool {
        self.modes.iter().any(|mode| mode.tape().is_some())
    }

    /// The parameter of a mode, inside of the module or beside the function.
    pub(super) fn tape_parameter(&self, mode: Mode, inside: bool) -> Option<(Ident, Code)> {
        let module = generated(&self.signature.module);
        let path = if inside { code!(Tape) } else { code!(#module::Tape) };
        let ty = match mode.tape()? {
            modes::Tape::Written => code!(&mut #path),
            modes::Tape::Read => code!(&#path),
        };
        Some((self.tape.name.clone(), ty))
    }

    /// What a body does with its tape before anything else.
    pub(super) fn tape_at_entry(&self, mode: Mode) -> Code {
        let (tape, numbers) = (&self.tape.name, self.stamped(mode));
        match mode.tape() {
            None => code!(),
            Some(modes::Tape::Written) => code! {
                *#tape = ::core::default::Default::default();
                #tape.stamp.begin(&[#numbers]);
            },
            Some(modes::Tape::Read) => {
                let function = literal::string(&format!("{}::backward", self.signature.shown()));
                code!(#tape.stamp.check(#function, &[#numbers]);)
            }
        }
    }

    /// The lengths and whole numbers by which a tape is known: those that both sweeps are given.
    fn stamped(&self, mode: Mode) -> Code {
        let entry = |what: String, number: Code| {
            let what = literal::string(&what);
            code!((#what, #number as i128),)
        };
        let consts = self.signature.generics.const_params();
        let mut all: Code = consts
            .map(|param| entry(format!("`{}`", unraw(&param.ident)), super::user(&param.ident)))
            .collect();
        for primal in self.interface.arguments.iter().filter(|it| it.is_primal()) {
            let shown = unraw(&primal.name);
            let is_output = primal.param.kind.is_output();
            let given = match (is_output, mode.runs_primal()) {
                (true, _) if !primal.param.active => continue,
                (true, false) => {
                    self.interface.companions(mode).find(|it| std::ptr::eq(it.param, primal.param))
                }
                _ => Some(primal),
            };
            let Some(given @ Argument { name, .. }) = given else { continue };
            for (what, number) in self.stamped_parts(given, &primal.name).into_iter().chain(variants(primal))
            {
                all.push(entry(what, number));
            }
            match primal.param.kind {
                ParamKind::Slice { .. } => {
                    all.push(entry(format!("the length of `{shown}`"), code!(#name.len())));
                }
                ParamKind::Rows { .. } => {
                    all.push(entry(format!("the length of `{shown}`"), code!(#name.len())));
                    let row = code!(#name.first().map_or(0, ::std::vec::Vec::len));
                    all.push(entry(format!("the length of the rows of `{shown}`"), row));
                }
                ParamKind::NdArray { rank, .. } => {
                    for dim in 0..rank {
                        let at = literal::usize(dim);
                        all.push(entry(format!("dimension {dim} of `{shown}`"), code!(#name.shape()[#at])));
                    }
                }
                ParamKind::Scalar => {
                    let leaves = primal.param.leaves.iter();
                    if leaves.clone().any(|leaf| leaf.path.is_empty() && !leaf.elem.is_float()) {
                        all.push(entry(format!("`{shown}`"), code!(#name)));
                    }
                }
                _ => {}
            }
        }
        all
    }

    /// The tape in a body that finds one: what stands in front of the body, its parameters, and where buffers are.
    pub(super) fn tape_read(&self, program: &Program, names: &mut Names) -> TapeRead {
        let mut read = TapeRead { bound: Code::new(), arguments: Vec::new(), host: Vec::new() };
        let tape = &self.tape.name;
        for Field { buffer, name: field, elem, rank } in &self.tape.fields {
            if !program.params.contains(buffer) {
                continue;
            }
            let (name, elem) = (names.fresh(&unraw(field)), literal::ty(*elem));
            if *rank == 0 {
                read.bound.push(code!(let #name: #elem = #tape.#field;));
                read.arguments.push((name.clone(), elem));
                read.host.push((*buffer, Storage::Scalar { name, reference: false }));
                continue;
            }
            let mut extents = vec![None; *rank];
            for (dim, extent) in program[*buffer].dims.iter().enumerate().filter(|_| *rank > 1) {
                if extent.as_usize().is_none() {
                    let (local, at) = (names.fresh(&format!("{name}_dim{dim}")), literal::usize(dim));
                    read.bound.push(code!(let #local: usize = #tape.#field.extents()[#at];));
                    read.arguments.push((local.clone(), code!(usize)));
                    extents[dim] = Some(local);
                }
            }
            read.bound.push(code!(let #name: &[#elem] = #tape.#field.elements();));
            read.arguments.push((name.clone(), code!(&[#elem])));
            read.host.push((*buffer, Storage::Flat { name, extents, disjoint: false }));
        }
        read
    }

    /// Whether an adjoint is given without the array that it belongs to.
    pub(super) fn is_alone(&self, mode: Mode, argument: &Argument<'_>) -> bool {
        !mode.runs_primal() && argument.access == Access::Through
    }
}

/// How a body finds the tape.
pub(super) struct TapeRead {
    /// What stands in front of the body.
    pub(super) bound: Code,
    /// The parameters of the body.
    pub(super) arguments: Vec<(Ident, Code)>,
    /// Where the buffers are.
    pub(super) host: Vec<(BufferId, Storage)>,
}

impl Emitter<'_> {
    /// Whether the memory of an array stays after the call.
    pub(super) fn is_kept(&self, buffer: BufferId) -> bool {
        let tape = self.tape.as_ref();
        tape.is_some_and(|tape| tape.fields.iter().any(|field| field.buffer == buffer))
    }

    /// The seam: everything is kept.
    pub(super) fn seam(&self) -> Code {
        let Some(Tape { name: tape, fields }) = self.tape.as_deref() else { return code!() };
        let (runtime, mut written) = (&self.runtime, Code::new());
        for Field { buffer, name: field, rank, .. } in fields {
            let extents = (0..*rank).map(|dim| self.typed(&Expr::extent(*buffer, dim)));
            let extents: Vec<Code> = extents.collect();
            let extents = code!([#(#extents),*]);
            written.push(match self.storage(*buffer) {
                Storage::Scalar { name, reference: false } => code!(#tape.#field = #name;),
                Storage::Heap { name, grows, .. } => {
                    let kept = match *grows || self.program[*buffer].layout.grows() {
                        true => code!(#name.keep(extents)),
                        // Safety: the variable is a reference of its own to a whole buffer that the arena
                        // lends, as in `leave`, and here it is mentioned for the last time.
                        false => {
                            let arena = self.arena();
                            code!(unsafe { #runtime::Kept::new(#arena, #name, extents) })
                        }
                    };
                    code!({ let extents = #extents; #tape.#field = #kept; })
                }
                storage => {
                    let name = storage.name();
                    code!(#tape.#field = #runtime::Kept::copied(&#name, #extents);)
                }
            });
        }
        code!(#written #tape.stamp.complete();)
    }
}
