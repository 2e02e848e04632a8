//! Task loops: each body is a function of its own, compiled once for every level of the instruction set.
//!
//! ```text
//! for c in 0..chunks parallel(task)     fn task_0<S: Isa>(c: usize, x: &[f64], y: Disjoint<'_, f64>, n: usize) { … }
//!   y[c] = x[c] * n                     unsafe fn task_0_avx512(…) { Self::task_0::<Avx512>(…) }   // and so on
//!                                       { let (x, y, n) = (&x[..], Disjoint::new(&mut y[..]), n);
//!                                         let task: unsafe fn(…) = match level() { … };
//!                                         tasks(chunks, &|c| unsafe { task(c, x, y, n) }) }
//! ```
//!
//! What the body reads comes as a slice or by value. What it writes comes as a `Disjoint`, the pointer and the length
//! of the one `&mut` that exists: two chunks never write one element, which is what a task loop means, so no reference
//! that a chunk makes overlaps one of another chunk. Each access through it is checked against the length.
//!
//! Locals and parameters of a task are named as if nothing stood around it, so that tasks that do the same have the
//! same code: the forward sweep of a gradient has many that the value has. One function stands for all of them
//! (identical code folding).
//!
//! *Legality.* The code of two tasks is compared word by word, with the types of what they take; all that it can mean
//! is in it, as both are methods of one `impl`. Names that people gave are as they are, so messages are the same as
//! well.

use super::emitter::{Emitter, Mentions};
use super::isa_dispatch::{Levels, fills_registers};
use super::per_chunk::Parts;
use super::storage::{Storage, constant_size};
use super::{Code, code, literal};
use crate::ir::{
    Block, BufferId, BufferSet, Exec, Expr, For, IterId, Layout, Level, Stmt, StmtKind, declared, written,
};
use crate::limits::{ELEMENTS_ON_THE_STACK_OF_A_TASK, VECTORS_ON_THE_STACK};
use crate::map::Map;
use proc_macro2::Ident;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The functions of the tasks of one generated function.
#[derive(Default)]
pub(super) struct Tasks {
    /// What their names start with.
    prefix: &'static str,
    /// Items of `impl f::Bodies`.
    pub(super) items: Code,
    count: usize,
    /// Those of all bodies.
    known: Rc<KnownTasks>,
}

/// The names of tasks by their code.
pub(super) type KnownTasks = RefCell<Map<String, String>>;

impl Tasks {
    /// None yet, of a function with this name.
    pub(super) fn of(prefix: &'static str, known: &Rc<KnownTasks>) -> Tasks {
        Tasks { prefix, items: Code::new(), count: 0, known: Rc::clone(known) }
    }

    /// The name of the function with this code, and whether there was none so far.
    fn function(&mut self, code: String) -> (String, bool) {
        let next = format!("{}_task_{}", self.prefix, self.count);
        let name = self.known.borrow_mut().entry(code).or_insert_with(|| next.clone()).clone();
        let is_new = name == next;
        self.count += usize::from(is_new);
        (name, is_new)
    }
}

/// Something that the body takes from around the loop.
pub(super) struct Capture {
    pub(super) name: Ident,
    ty: Code,
    pub(super) value: Code,
}

/// Whether the loop is one of tasks. A loop that assigns to a scalar of the code around it, or grows a buffer, is run
/// in order: that no program of the scheduler does.
pub(super) fn is_task_loop(emitter: &Emitter<'_>, it: &For) -> bool {
    if it.exec != Exec::Parallel(Level::Task) || emitter.in_task {
        return false;
    }
    let plain = it.lo.as_usize() == Some(0) && it.is_plain();
    let own = declared(&it.body);
    let mut shared = true;
    for stmt in &it.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Swap { a, b } = &stmt.kind {
                shared &= own.contains(*a) && own.contains(*b);
            }
        });
        stmt.writes(&mut |buffer| {
            let storage = emitter.storage(buffer);
            let host = matches!(storage, Storage::Host { .. }) && emitter.program[buffer].rank() == 0;
            let fixed =
                !host && !matches!(storage, Storage::Scalar { .. } | Storage::Heap { grows: true, .. });
            shared &= own.contains(buffer) || fixed;
        });
    }
    plain && shared
}

/// Whether some loop is one of tasks; a program without any uses this thread alone.
pub(super) fn has_tasks(body: &[Stmt]) -> bool {
    let mut found = false;
    body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            found |= stmt.as_for().is_some_and(|it| it.exec == Exec::Parallel(Level::Task));
        });
    });
    found
}

/// The iterators of the loops of a block.
pub(super) fn iterators(block: &Block) -> HashSet<IterId> {
    let mut set = HashSet::new();
    for stmt in block {
        stmt.walk(&mut |stmt| set.extend(stmt.iter()));
    }
    set
}

impl Emitter<'_> {
    /// The call of the tasks; their function is added to the items.
    pub(super) fn task_loop(&self, it: &For) -> Code {
        let runtime = &self.runtime;
        let mut mentions = Mentions::of(self.program, &it.body);
        let own = declared(&it.body);
        let written = written(&it.body);
        let mut inner = self.clone();
        let mut extents: Vec<Capture> = Vec::new();
        let mut captures: Vec<Capture> = Vec::new();

        let inside = iterators(&it.body);
        mentions.iters.retain(|iter| !inside.contains(iter) && *iter != it.iter);
        let iters: Vec<IterId> = mentions.iters.into_iter().collect();
        let mut names = inner.rename(it, &iters, &own);
        for &iter in &iters {
            let (outer, ty) = (self.iter(iter), literal::ty(self.program[iter].ty));
            captures.push(Capture { name: inner.iter(iter).clone(), ty, value: code!(#outer) });
        }
        let outer: Vec<BufferId> = mentions.buffers.iter().filter(|buffer| !own.contains(*buffer)).collect();
        let bases = self.written_records(&written);
        let mut records = HashMap::new();
        for &buffer in &outer {
            let mutable =
                written.contains(buffer) || self.records(buffer).is_some_and(|base| bases.contains(&base));
            let named = |base: &str, outer: Option<&Ident>| match outer {
                Some(name) if self.reserved.holds(name) => name.clone(),
                _ => names.fresh(base),
            };
            let (storage, capture) = self.capture(buffer, mutable, &mut extents, &mut records, named);
            inner.storage[buffer.0 as usize] = Rc::new(storage);
            if !captures.iter().any(|known| known.name == capture.name) {
                captures.push(capture);
            }
        }
        for opaque in mentions.opaques {
            let (name, ty) = (self.opaque(opaque), literal::ty(self.program[opaque].ty));
            if !is_table(self, opaque) {
                captures.push(Capture { name: name.clone(), ty, value: code!(#name) });
            }
        }
        let [count, task] = ["chunks", "task"].map(|name| names.fresh(name));

        inner.in_task = true;
        inner.parts = Some(Rc::new(Parts::of(it)));
        inner.begin_function(names);
        inner.by_level = true;
        inner.localise(&it.body);
        let mut prologue = inner.take_once(&it.body, &written);
        prologue.push(inner.make_room(&it.body));
        let body = inner.function(&[], &it.body);
        let lender = inner.lender();

        let chunk = inner.iter(it.iter);
        // sizes are read before arrays are borrowed
        captures.splice(0..0, extents);
        let names: Vec<&Ident> = captures.iter().map(|capture| &capture.name).collect();
        let values: Vec<&Code> = captures.iter().map(|capture| &capture.value).collect();
        let types: Vec<&Code> = captures.iter().map(|capture| &capture.ty).collect();
        let typed = names.iter().zip(&types).map(|(name, ty)| code!(#name: #ty));
        let generic = |buffer: &BufferId| matches!(self.storage(*buffer), Storage::Host { fields, .. } if fields.generic);
        let generics = if outer.iter().any(generic) { self.consts.clone() } else { syn::Generics::default() };
        let (import, parameters) = (self.import(), code!(#chunk: usize #(, #typed)*));
        let body = code!(#import #prologue #body);
        let aligned = fills_registers(&inner, &it.body);
        let (function, is_new) = {
            let (lent, of_module) = (lender.map(|arena| code!(#arena)), super::user(&generics));
            let code = code!(#of_module (#lent #parameters) { #body }).words();
            self.tasks.borrow_mut().function(format!("{aligned} {} {code}", self.portable))
        };
        let levels = Levels {
            runtime: &self.path,
            name: &function,
            isa: &self.isa,
            level: &self.level,
            generics: &generics,
            arena: lender,
            parameters,
            arguments: code!(, #chunk #(, #names)*),
            output: code!(),
            aligned,
            portable: self.portable,
        };
        if is_new {
            self.tasks.borrow_mut().items.push(levels.items(&body));
        }
        let chunks = self.typed(&it.hi);
        let choice = levels.choice(|version, _| version);
        // the closure has copies, so that what it takes is in memory only where there are tasks
        let (arena_type, new_arena) = match lender {
            Some(_) => (code!(&#runtime::Arena,), code!(&#runtime::Arena::new(),)),
            None => (code!(), code!()),
        };
        let run = code! {
            let #task: unsafe fn(#arena_type usize #(, #types)*) = #choice;
            #runtime::tasks(#count, &move |#chunk| unsafe { #task(#new_arena #chunk #(, #names)*) });
        };
        let run = if self.runs_in_place(it) {
            let arena = lender.map(|_| {
                let arena = self.arena();
                code!(#arena,)
            });
            let only = levels.inlined(code!(#arena 0_usize #(, #names)*));
            code!(if #count == 1 { #only } else { #run })
        } else {
            run
        };
        code! {{
            let (#count, #(#names,)*) = (#chunks, #(#values,)*);
            #run
        }}
    }

    /// The host value in front of the indices of a buffer: `s.atoms`.
    pub(super) fn base(&self, buffer: BufferId) -> Code {
        let storage = self.storage(buffer);
        let name = storage.name();
        match storage {
            Storage::Host { fields, .. } => {
                let members = fields.at(0);
                code!(#name #members)
            }
            _ => code!(#name),
        }
    }

    /// The array of structs that a buffer is a member of, as text.
    pub(super) fn records(&self, buffer: BufferId) -> Option<String> {
        match self.storage(buffer) {
            Storage::Host { fields, .. } if fields.is_of_records() => Some(self.base(buffer).to_string()),
            _ => None,
        }
    }

    /// The arrays of structs of which some member is written: all their members are reached through one pointer, as no
    /// other borrow can be beside the one that it comes from.
    fn written_records(&self, written: &BufferSet) -> HashSet<String> {
        let buffers = self.program.buffer_ids().filter(|buffer| written.contains(*buffer));
        buffers.filter_map(|buffer| self.records(buffer)).collect()
    }

    /// How the body sees a buffer of the code around it. `named` makes a name like one, for what has another outside or
    /// none.
    pub(super) fn capture(
        &self,
        buffer: BufferId,
        mutable: bool,
        extents: &mut Vec<Capture>,
        records: &mut HashMap<String, Ident>,
        mut named: impl FnMut(&str, Option<&Ident>) -> Ident,
    ) -> (Storage, Capture) {
        let (runtime, it) = (&self.runtime, &self.program[buffer]);
        let elem = literal::ty(it.elem);
        let storage = self.storage(buffer);
        let outer = storage.name();
        if let Storage::Scalar { reference, .. } = storage {
            let value = if *reference { code!(*#outer) } else { code!(#outer) };
            let name = named(&self.name_of(buffer), Some(outer));
            let storage = Storage::Scalar { name: name.clone(), reference: false };
            return (storage, Capture { name, ty: elem, value });
        }
        if let (Storage::Stack { elements, .. }, false) = (storage, mutable) {
            let (length, name) = (literal::usize(*elements), named(&self.name_of(buffer), Some(outer)));
            let storage = Storage::Stack { name: name.clone(), elements: *elements };
            return (storage, Capture { name, ty: code!(&[#elem; #length]), value: code!(&#outer) });
        }
        let (name, base) = match storage {
            Storage::Host { fields, .. } if !fields.path.is_empty() => {
                let base = self.base(buffer);
                if it.rank() == 0 {
                    let name = named(&it.name, None);
                    let storage = Storage::Scalar { name: name.clone(), reference: false };
                    return (storage, Capture { name, ty: elem, value: fields.number(base) });
                }
                let name = match self.records(buffer) {
                    Some(of) => records.entry(of).or_insert_with(|| named("records", None)).clone(),
                    None => named(&it.name, None),
                };
                (name, base)
            }
            _ => (named(&self.name_of(buffer), Some(outer)), code!(#outer)),
        };
        let of_records = self.records(buffer).is_some();
        let flat = it.rank() == 1 && it.layout == Layout::RowMajor && !of_records;
        let locals = (0..it.rank()).map(|dim| {
            if flat || it.dims[dim].as_usize().is_some() {
                return None;
            }
            let outer = match storage {
                Storage::Heap { extents, .. } => extents[dim].as_ref(),
                _ => None,
            };
            let value = outer.map_or_else(|| self.typed(&Expr::extent(buffer, dim)), |outer| code!(#outer));
            let local = named(&format!("{name}_dim{dim}"), outer);
            extents.push(Capture { name: local.clone(), ty: code!(usize), value });
            Some(local)
        });
        let locals = locals.collect();
        if let Storage::Host { fields, .. } = storage
            && let (true, Some(outer)) = (of_records, &fields.outer)
        {
            let path = &self.path;
            let (ty, value) = match mutable {
                true => {
                    (code!(#path::Disjoint<'_, #outer>), code!(#runtime::Disjoint::records(&mut #base[..])))
                }
                false => (code!(&[#outer]), code!(&#base[..])),
            };
            let extents = locals;
            let storage =
                Storage::Records { name: name.clone(), fields: fields.clone(), extents, disjoint: mutable };
            return (storage, Capture { name, ty, value });
        }
        let rows = match storage {
            Storage::Host { .. } => it.rank() - 1,
            _ => 0,
        };
        let (ty, value) = if mutable {
            let rows = (0..rows).map(|_| code!(.as_flattened_mut()));
            let rows: Code = rows.collect();
            let value = if rows.is_empty() { code!(&mut #base[..]) } else { code!(#base[..]#rows) };
            let path = &self.path;
            (code!(#path::Disjoint<'_, #elem>), code!(#runtime::Disjoint::new(#value)))
        } else {
            let rows: Code = (0..rows).map(|_| code!(.as_flattened())).collect();
            (code!(&[#elem]), if rows.is_empty() { code!(&#base[..]) } else { code!(#base[..]#rows) })
        };
        let storage = Storage::Flat { name: name.clone(), extents: locals, disjoint: mutable };
        (storage, Capture { name, ty, value })
    }

    /// Gives the chunk-local arrays of a task body their representation: what is small and in no lane loop lives on
    /// the stack, the rest comes from the pool, whose memory is aligned.
    fn localise(&mut self, body: &Block) {
        let (mut in_lanes, mut of_lanes) = (HashSet::new(), BufferSet::new());
        for stmt in body {
            stmt.walk(&mut |stmt| {
                if let StmtKind::For(For { exec: Exec::Lanes { .. }, body, .. }) = &stmt.kind {
                    let own = declared(body);
                    of_lanes.union(&own);
                    let mentioned = self.mentioned_in(body);
                    in_lanes.extend(mentioned.iter().filter(|buffer| !own.contains(*buffer)));
                }
            });
        }
        let own = declared(body);
        for buffer in self.program.buffer_ids().filter(|buffer| own.contains(*buffer)) {
            let most = if of_lanes.contains(buffer) {
                VECTORS_ON_THE_STACK
            } else {
                ELEMENTS_ON_THE_STACK_OF_A_TASK
            };
            let small = constant_size(self.program, buffer).is_some_and(|size| size <= most);
            let storage = &mut self.storage[buffer.0 as usize];
            if let Storage::Stack { name, .. } = &**storage
                && (!small || in_lanes.contains(&buffer))
            {
                let extents = vec![None; self.program[buffer].rank()];
                *storage = Rc::new(Storage::Heap { name: name.clone(), extents, grows: false });
            }
        }
    }
}

/// Whether the path is one of a table, which is captured as a buffer.
fn is_table(emitter: &Emitter<'_>, opaque: crate::ir::OpaqueId) -> bool {
    use crate::ir::Role;
    emitter.program.buffers.iter().any(|buffer| buffer.role == Role::Table(opaque))
}
