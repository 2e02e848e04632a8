//! Lane loops: eight iterations at a time, in explicit vectors.
//!
//! *Comes in*: a loop of a task body whose iterations commute but for `Reduce`s. *Goes out*:
//!
//! ```text
//! let count = hi.saturating_sub(lo);
//! if count > 0 {
//!     …                                  // uniform loads, the range checks of runs, the accumulators of sums
//!     let mut at = 0;
//!     while at + 8 <= count { …; at += 8 }      // whole vectors, without a mask
//!     if at < count { let tail = first(count - at); … }
//!                                        // where that pays, whole vectors begin at cache lines: see `line_alignment`
//!     …                                  // the accumulators are folded in lane order and added to their targets
//! }
//! ```
//!
//! *Guarantees*: a lane that is not active touches no memory, contributes to no sum, and evaluates nothing that may
//! panic. A memory access is unchecked only behind the range check of a [`run`](access) that is made right before the
//! loop, and only where every iteration makes it; all others are checked where they stand. *Never*: reorders anything
//! but the terms of a `Reduce`. A loop with statements that have no vector form is emitted as an ordinary loop, which
//! means the same.
//!
//! - [`uniform`]: what is the same in every lane, and what is the same in every iteration.
//! - [`index`]: how the position of an element depends on the lane.
//! - [`address`]: what positions have in common.
//! - [`access`]: loads and stores; [`rows`], [`row_updates`]: those that are made together; [`padding`]: rows with room for whole vectors;
//!   [`line_alignment`]: vectors that begin at cache lines; [`prefetch`]: what is asked for ahead.
//! - [`expr`], [`stmt`], [`control`], [`sum`]: the constructs.

mod access;
mod address;
mod control;
mod expr;
mod index;
mod line_alignment;
mod padding;
mod prefetch;
mod records;
mod row_reads;
mod row_updates;
mod rows;
mod stmt;
mod sum;
mod uniform;

use super::emitter::Emitter;
use super::storage::Storage;
use super::task::{Capture, iterators};
use super::{Code, code, literal};
use crate::ir::{
    BufferId, BufferSet, Exec, Expr, Float, For, IterId, Order, Place, Program, ReduceOp, Ty, declared,
    written,
};
use crate::limits::{NODES_EMITTED_TWICE, SPILLING_SUMS};
use proc_macro2::Ident;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// What is known about a lane loop while it is written.
struct Lanes<'e, 'a> {
    /// The arrays of the loop are slices and `Disjoint`s in it.
    emitter: &'e Emitter<'a>,
    it: &'e For,
    /// The number of the first lane's iteration, counted from 0.
    at: Ident,
    /// How many iterations there are.
    count: Ident,
    /// The iterator's first value.
    first: Ident,
    /// Buffers declared in the body.
    own: BufferSet,
    /// Buffers that the body writes.
    written: BufferSet,
    /// Iterators of the loops in the body.
    inner: HashSet<IterId>,
    /// Locals of the body that hold a value for each lane.
    varying: BufferSet,
    /// Iterators in the body that differ between lanes.
    varying_iters: HashSet<IterId>,
    /// How many copies of the body the unrolled loop has.
    copies: usize,
    /// Whether the loop has so many sums that each is kept in a single register.
    crowded: bool,
    /// Whether anything in the body is a float, and so in a register from the start.
    has_floats: bool,
    /// What stands before the loop.
    before: RefCell<Code>,
    /// Accumulators that are folded behind it.
    folds: RefCell<Vec<sum::Fold>>,
    /// Invariant values that are computed before the loop.
    hoisted: RefCell<Vec<(Expr, Ident)>>,
    /// Elements whose range is checked before the loop.
    runs: RefCell<Vec<access::Run>>,
    /// Whether rows hold all iterations.
    rooms: RefCell<Vec<(BufferId, Ident)>>,
    /// Whether the loop runs whole vectors alone, also past its last iteration.
    runs_over: bool,
    /// What asks for a later line of the user's arrays, which come from memory, and of what is kept for later.
    streams: RefCell<Vec<Code>>,
    /// The arrays of records that are asked for, and where the records begin.
    records_asked: RefCell<Vec<(BufferId, Expr)>>,
    /// Sums with an accumulator in lanes.
    sums: RefCell<Vec<(ReduceOp, Place, sum::Accumulator)>>,
    /// Names of ours, none of which a local of the program has.
    names: RefCell<HashMap<&'static str, Ident>>,
    /// The locals that were declared.
    declared: RefCell<Vec<Declared>>,
    /// How many loops in the body are around the statement that is being written.
    depth: Cell<usize>,
    /// The addresses of the statements that declare the locals that they assign to.
    initial: RefCell<HashSet<usize>>,
    /// The locals of the second and later copies.
    copied: RefCell<HashMap<(BufferId, usize), Ident>>,
    /// Accesses that are made together.
    rows: RefCell<Vec<rows::Group>>,
    /// The positions of rows that have a name, with the copy of the body that they are of.
    positions: RefCell<Vec<(Expr, usize, Ident)>>,
    /// The statements of blocks, in their order.
    order: RefCell<Vec<usize>>,
    /// The statement that is being written, if it may access rows.
    here: Cell<usize>,
    /// What stands before that statement.
    prelude: RefCell<Code>,
}

/// A local of a copy of the body.
struct Declared {
    buffer: BufferId,
    part: usize,
    /// The mask under which it was declared.
    mask: Option<Ident>,
    /// The number of loops in the body around it.
    depth: usize,
    /// Whether some lane may have a value.
    has_value: bool,
}

/// Where a statement stands.
#[derive(Clone)]
struct Context {
    /// The active lanes; all without it.
    mask: Option<Ident>,
    /// Whether every iteration comes here.
    always: bool,
    /// Whether it is executed also if no lane is active.
    idle: bool,
    /// Which copy of the body it is.
    part: usize,
    /// The number of loops in the body around the place where the mask was made.
    made_in: usize,
}

impl Emitter<'_> {
    /// The loop in vectors; nothing if it is no lane loop of code that is compiled for each level, or has a statement
    /// without a vector form.
    pub(super) fn lane_loop(&self, it: &For) -> Option<Code> {
        let lanes = matches!(it.exec, Exec::Lanes { .. }) && self.by_level;
        let plain = it.is_by_one() && it.order == Order::Up;
        if !lanes || !plain {
            return None;
        }
        let mut inner = self.clone();
        let shadows = inner.shadow(it)?;
        let lanes = Lanes::new(&inner, it);
        if !lanes.supported() {
            return None;
        }
        let code = lanes.emit();
        Some(code!({ #shadows #code }))
    }

    /// In the loop every array of the code around it is a slice, or a `Disjoint` if the loop writes it: vectors are
    /// read and written through pointers that all come from one borrow.
    fn shadow(&mut self, it: &For) -> Option<Code> {
        let (own, written) = (declared(&it.body), written(&it.body));
        let buffers = self.mentioned_in(&it.body);
        let mut tokens = Code::new();
        for buffer in buffers.iter().filter(|buffer| !own.contains(*buffer)) {
            let disjoint = written.contains(buffer);
            let (name, extents) = match self.storage(buffer) {
                Storage::Stack { name, .. } => (name.clone(), vec![None; self.program[buffer].rank()]),
                Storage::Heap { grows: true, .. } if disjoint => return None,
                // the extents of what grows are found from its length
                Storage::Heap { grows: true, .. } if self.program[buffer].rank() > 1 => return None,
                Storage::Heap { name, extents, .. } => (name.clone(), extents.clone()),
                Storage::Scalar { .. } | Storage::Flat { .. } | Storage::Records { .. } => continue,
                Storage::Host { .. } => {
                    tokens.push(self.shadow_host(buffer, disjoint)?);
                    continue;
                }
            };
            let runtime = &self.runtime;
            tokens.push(if disjoint {
                code!(let #name = #runtime::Disjoint::new(&mut #name[..]);)
            } else {
                code!(let #name = &#name[..];)
            });
            self.storage[buffer.0 as usize] = Rc::new(Storage::Flat { name, extents, disjoint });
        }
        Some(tokens)
    }

    /// The same for an array of the caller's; nothing for a member of structs, which one borrow does not reach.
    fn shadow_host(&mut self, buffer: BufferId, disjoint: bool) -> Option<Code> {
        if self.records(buffer).is_some() || disjoint && self.program[buffer].rank() == 0 {
            return None;
        }
        let (mut extents, mut records) = (Vec::new(), HashMap::new());
        let named = |base: &str, outer: Option<&Ident>| outer.cloned().unwrap_or_else(|| self.fresh(base));
        let (storage, Capture { name, value, .. }) =
            self.capture(buffer, disjoint, &mut extents, &mut records, named);
        self.storage[buffer.0 as usize] = Rc::new(storage);
        let extents = extents.into_iter().map(|Capture { name, value, .. }| code!(let #name = #value;));
        Some(code!(#(#extents)* let #name = #value;))
    }
}

/// Whether a loop computes, loads or stores floats.
fn has_floats(program: &Program, it: &For) -> bool {
    let mut found = false;
    it.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            stmt.each_expr(&mut |expr| expr.walk(&mut |part| found |= part.ty.is_float()));
            if let Some((target, _)) = stmt.as_store() {
                found |= program[target.buffer].elem.is_float();
            }
        });
    });
    found
}

impl<'e, 'a> Lanes<'e, 'a> {
    fn new(emitter: &'e Emitter<'a>, it: &'e For) -> Lanes<'e, 'a> {
        let mut lanes = Lanes {
            emitter,
            it,
            at: emitter.fresh("at"),
            count: emitter.fresh("count"),
            first: emitter.fresh("first"),
            own: declared(&it.body),
            written: written(&it.body),
            inner: iterators(&it.body),
            varying: BufferSet::new(),
            varying_iters: HashSet::new(),
            copies: 1,
            crowded: false,
            has_floats: has_floats(emitter.program, it),
            before: RefCell::default(),
            folds: RefCell::default(),
            hoisted: RefCell::default(),
            runs: RefCell::default(),
            rooms: RefCell::default(),
            streams: RefCell::default(),
            records_asked: RefCell::default(),
            sums: RefCell::default(),
            names: RefCell::default(),
            declared: RefCell::default(),
            depth: Cell::default(),
            initial: RefCell::default(),
            copied: RefCell::default(),
            rows: RefCell::default(),
            positions: RefCell::default(),
            order: RefCell::default(),
            here: Cell::default(),
            prelude: RefCell::default(),
            runs_over: false,
        };
        lanes.find_varying();
        lanes.runs_over = lanes.may_run_over();
        lanes.copies = match lanes.whole_vectors() {
            Some(vectors) => lanes.copies().min(vectors),
            None => lanes.copies(),
        };
        lanes.crowded = lanes.copies * lanes.sums_of_all_lanes() >= SPILLING_SUMS;
        lanes
    }

    /// A name of ours; the same one for the same word.
    fn name(&self, word: &'static str) -> Ident {
        self.names.borrow_mut().entry(word).or_insert_with(|| self.emitter.fresh(word)).clone()
    }

    /// The local of a copy of the body.
    fn local(&self, buffer: BufferId, part: usize) -> Ident {
        let name = self.emitter.storage(buffer).name();
        if part == 0 {
            return name.clone();
        }
        let fresh = || self.emitter.fresh(&name.to_string());
        self.copied.borrow_mut().entry((buffer, part)).or_insert_with(fresh).clone()
    }

    /// The iterator of the first lane of a copy of the body.
    fn lane_iter(&self, part: usize) -> Ident {
        match part {
            1 => self.name("second_l"),
            2 => self.name("third_l"),
            3 => self.name("fourth_l"),
            _ => self.emitter.iter(self.it.iter).clone(),
        }
    }

    /// The number of the first lane's iteration in a copy of the body.
    fn at(&self, part: usize) -> Code {
        let at = &self.at;
        if part == 0 {
            return code!(#at);
        }
        let lanes = literal::usize(8 * part);
        code!(#at + #lanes)
    }

    fn emit(&self) -> Code {
        let (runtime, it) = (&self.emitter.runtime, self.it);
        let (at, count, first) = (&self.at, &self.count, &self.first);
        let ty = literal::ty(self.emitter.program[it.iter].ty);
        let (lo, hi) = (self.emitter.typed(&it.lo), self.emitter.typed(&it.hi));
        let iter = self.emitter.iter(it.iter);
        let from_zero = it.lo.as_usize() == Some(0) && self.emitter.program[it.iter].ty == Ty::USIZE;
        let starts_at = |name: &Ident, at: Code| match from_zero {
            true => code!(let #name = #at;),
            false => code!(let #name = #first.wrapping_add((#at) as #ty);),
        };
        let start = starts_at(iter, code!(#at));
        let (tail, rest, mask) = (self.name("tail"), self.name("rest"), self.ty(Ty::Bool));
        let context =
            |mask: Option<Ident>, part| Context { mask, always: true, idle: false, part, made_in: 0 };
        let one = [context(None, 0)];
        let last = [context(Some(tail.clone()), 0)];
        let unrolled = if self.copies > 1 {
            let copies: Vec<Context> = (0..self.copies).map(|part| context(None, part)).collect();
            let starts = (1..self.copies).map(|part| starts_at(&self.lane_iter(part), self.at(part)));
            let starts: Code = starts.collect();
            let (body, lanes) = (self.body(&copies), literal::usize(8 * self.copies));
            let ahead = self.ahead(self.copies);
            code!(while #count - #at >= #lanes { #start #starts #ahead #body #at += #lanes; })
        } else {
            code!()
        };
        let is_whole = self.whole_vectors().is_some();
        let room = if self.runs_over && !is_whole {
            code!(let #count = usize::saturating_add(#count, 7) / 8 * 8;)
        } else {
            code!()
        };
        let loops = if self.runs_over || is_whole {
            let body = self.body(&one);
            let ahead = self.ahead(1);
            code!(#unrolled while #at < #count { #start #ahead #body #at += 8; })
        } else if self.varying_nodes() <= NODES_EMITTED_TWICE {
            let (whole, body) = (self.body(&one), self.body(&last));
            let ahead = self.ahead(1);
            let whole = code!(#unrolled while #count - #at >= 8 { #start #ahead #whole #at += 8; });
            let part = |lanes: Code| code!(let #rest = #lanes; let #tail = #mask::first(#rest); #start #body);
            match self.written_in_lines() {
                Some(run) => self.in_lines(&run, &whole, part),
                None => {
                    let part = part(code!(#count - #at));
                    code!(#whole if #at < #count { #part })
                }
            }
        } else {
            let body = self.body(&last);
            let ahead = self.ahead(1);
            code! {
                #unrolled
                while #at < #count {
                    let #rest = usize::min(#count - #at, 8);
                    let #tail = #mask::first(#rest);
                    #start
                    #ahead
                    #body
                    #at += 8;
                }
            }
        };
        let (before, behind) = (self.before.take(), self.folds());
        let trips = match self.emitter.program[it.iter].ty {
            Ty::USIZE if from_zero => code!(let #count: usize = #hi;),
            Ty::USIZE => {
                code!(let #first: #ty = #lo; let #count: usize = usize::saturating_sub(#hi, #first);)
            }
            _ => code!(let #first: #ty = #lo; let #count: usize = #runtime::trip_count(#first, #hi, 1);),
        };
        code! {
            #trips
            #room
            if #count > 0 {
                #before
                let mut #at = 0_usize;
                #loops
                #behind
            }
        }
    }

    /// A copy of the body, or some that belong together.
    fn body(&self, copies: &[Context]) -> Code {
        self.rows.borrow_mut().clear();
        self.order.borrow_mut().clear();
        self.block(&self.it.body, copies)
    }

    /// Asks for what later iterations of `copies` vectors take from memory.
    fn ahead(&self, copies: usize) -> Code {
        let streams = self.streams.borrow();
        let of_copy = |part| {
            let at = self.at(part);
            streams.iter().map(move |ask| code!(#ask(#at);)).collect::<Code>()
        };
        (0..copies).map(of_copy).collect()
    }

    fn varying_nodes(&self) -> usize {
        let mut nodes = 0;
        for stmt in &self.it.body {
            stmt.walk(&mut |stmt| {
                nodes += stmt.exprs().into_iter().map(|expr| self.nodes_of(expr)).sum::<usize>();
            });
        }
        nodes
    }

    fn nodes_of(&self, expr: &Expr) -> usize {
        if self.is_invariant(expr, false) {
            return 1;
        }
        let operands: usize = match &expr.kind {
            crate::ir::ExprKind::Binary(_, a, b) => self.nodes_of(a) + self.nodes_of(b),
            _ => expr.operands().iter().map(|operand| self.nodes_of(operand)).sum(),
        };
        1 + operands
    }

    fn nodes(&self) -> usize {
        let mut nodes = 0;
        for stmt in &self.it.body {
            stmt.walk(&mut |stmt| {
                stmt.each_expr(&mut |expr| expr.walk(&mut |_| nodes += 1));
            });
        }
        nodes
    }

    /// The vector type of a type; integers are arrays.
    fn ty(&self, ty: Ty) -> Code {
        let isa = &self.emitter.isa;
        match ty {
            Ty::Float(Float::F64) => code!(#isa::F64),
            Ty::Float(Float::F32) => code!(#isa::F32),
            Ty::Bool => code!(#isa::Mask),
            Ty::Int(_) => {
                let ty = literal::ty(ty);
                code!([#ty; 8])
            }
        }
    }
}
