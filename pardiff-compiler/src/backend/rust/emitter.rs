//! What is known about a program while one generated function is written.

use super::contract_tape::Tape;
use super::in_place::rows_in_order;
use super::names::Names;
use super::per_chunk::Parts;
use super::prefetch::{Walked, walks};
use super::rows::Read;
use super::storage::Storage;
use super::task::{Tasks, iterators};
use super::{Code, code, literal};
use crate::ir::{
    Block, BufferId, BufferSet, Expr, ExprKind, For, IterId, OpaqueId, Order, Program, SpanId, Stmt, StmtKind,
};
use crate::map::Map;
use proc_macro2::{Ident, Span};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// What stands for the level of the instruction set where the user has no such name.
const ISA: &str = "S";

/// The names and representations of everything in a program.
#[derive(Clone)]
pub(super) struct Emitter<'a> {
    /// The program.
    pub(super) program: &'a Program,
    /// The user's function as a string literal, for messages.
    pub(super) function: Code,
    /// The path of the runtime from outside of bodies.
    pub(super) path: Code,
    /// The runtime in a body: its path, or the name that [`Emitter::import`] gives it.
    pub(super) runtime: Code,
    pub(super) storage: Vec<Rc<Storage>>,
    iters: Rc<Vec<Ident>>,
    opaques: Rc<Vec<Ident>>,
    writes: Rc<Vec<u32>>,
    /// The values of scalars that are assigned once, but for those that come from the caller.
    definitions: Rc<Vec<Option<&'a Expr>>>,
    /// The iterators of loops that count down.
    pub(super) down: Rc<HashSet<IterId>>,
    /// A local for a position that has to be computed before its buffer is borrowed.
    pub(super) position: Ident,
    /// Every name that is taken, for those that are found on the way.
    names: Rc<RefCell<Names>>,
    /// Names that stay as they are in tasks: those of parameters, results and what stands for the user's paths.
    pub(super) reserved: Rc<Names>,
    /// The const parameters of the function.
    pub(super) consts: &'a syn::Generics,
    /// Whether the code is the body of a task.
    pub(super) in_task: bool,
    /// What of arrays is the task's own.
    pub(super) parts: Option<Rc<Parts>>,
    /// The iterators of task loops whose only chunk runs in place.
    pub(super) in_place: Rc<HashSet<IterId>>,
    /// What loops over rows ask for.
    pub(super) walks: Rc<HashMap<IterId, Vec<Walked>>>,
    /// Arrays whose memory is taken at entry of the function.
    pub(super) hoisted: HashSet<BufferId>,
    /// The memory of those of them whose size is found at entry of their scope.
    pub(super) rooms: HashMap<BufferId, Ident>,
    /// Arrays that change places with others.
    pub(super) swapped: Rc<BufferSet>,
    /// The communicators of the function, in order.
    pub(super) communicators: Rc<Vec<Ident>>,
    /// What stays after the call, in a forward sweep.
    pub(super) tape: Option<Rc<Tape>>,
    /// The local that lends memory.
    arena: Ident,
    /// Whether it is used.
    lends: Rc<Cell<bool>>,
    /// Whether the code is compiled for each level of the instruction set.
    pub(super) by_level: bool,
    /// What stands for the level there.
    pub(super) isa: Ident,
    /// The local that has a value of it.
    pub(super) level: Ident,
    /// Whether the function has a portable version, see `isa_dispatch`.
    pub(super) portable: bool,
    /// The functions of the tasks so far.
    pub(super) tasks: Rc<RefCell<Tasks>>,
    /// Elements that were read with others, where they may be asked for.
    pub(super) read: Rc<RefCell<Vec<Read>>>,
    /// The buffers that statements mention, by the addresses of these in the program.
    mentioned: Rc<RefCell<Map<usize, Rc<BufferSet>>>>,
    /// String literals so far: a program names each of its accesses many times.
    strings: Rc<RefCell<HashMap<String, Code>>>,
}

impl<'a> Emitter<'a> {
    /// Names what `host` (parameters and results) does not name; `names` holds the names that are taken.
    pub(super) fn new(
        program: &'a Program,
        runtime: Code,
        consts: &'a syn::Generics,
        names: &mut Names,
        host: Vec<(BufferId, Storage)>,
    ) -> Emitter<'a> {
        let mut given: Vec<Option<Storage>> = vec![None; program.buffers.len()];
        for (buffer, storage) in host {
            given[buffer.0 as usize] = Some(storage);
        }
        let opaques: Vec<Ident> =
            program.opaques.iter().map(|opaque| names.fresh(&opaque_name(&opaque.text))).collect();
        let reserved = Rc::new(names.clone());
        let storage = program.buffer_ids().zip(given).map(|(buffer, given)| {
            given.unwrap_or_else(|| match program[buffer].role {
                crate::ir::Role::Table(_) => {
                    let name = names.fresh(&opaque_name(&program[buffer].name));
                    Storage::Host { name, fields: Rc::default() }
                }
                _ => Storage::local(program, buffer, |name| names.fresh(name)),
            })
        });
        let storage = storage.map(Rc::new).collect();
        let position = names.fresh("position");
        let level = names.fresh("_level");
        let mut iters = vec![None; program.iters.len()];
        name_iters(program, &program.body, names, &mut Vec::new(), &mut iters);
        let iters: Vec<Ident> =
            iters.into_iter().map(|name| name.unwrap_or_else(|| names.fresh("unused"))).collect();
        iters.iter().for_each(|name| names.take(name));
        let function = literal::string(&program.name);
        let writes = writes(program);
        let definitions = definitions(program, &writes);
        Emitter {
            program,
            function,
            path: runtime.clone(),
            runtime,
            storage,
            iters: Rc::new(iters),
            opaques: Rc::new(opaques),
            writes: Rc::new(writes),
            definitions: Rc::new(definitions),
            down: Rc::new(down(program)),
            position,
            names: Rc::new(RefCell::new(names.clone())),
            reserved,
            consts,
            in_task: false,
            communicators: Rc::default(),
            tape: None,
            parts: None,
            in_place: Rc::new(rows_in_order(program)),
            walks: Rc::new(walks(program)),
            hoisted: HashSet::new(),
            rooms: HashMap::new(),
            swapped: Rc::new(swapped(program)),
            arena: names.fresh("arena"),
            lends: Rc::default(),
            by_level: false,
            isa: Ident::new(ISA, Span::mixed_site()),
            level,
            portable: false,
            tasks: Rc::default(),
            read: Rc::default(),
            mentioned: Rc::default(),
            strings: Rc::default(),
        }
    }

    /// From now on bodies call the runtime by a short name, and start with [`Emitter::import`]: its path is half of
    /// their tokens otherwise, which take their time here and in rustc. `names` holds the words of the user's paths and
    /// types in bodies: none of them is the runtime's name, and none is the level's.
    pub(super) fn name_paths(&mut self, mut names: Names) {
        let name = names.fresh("runtime");
        self.runtime = code!(#name);
        self.isa = names.fresh(ISA);
    }

    /// What a body starts with.
    pub(super) fn import(&self) -> Code {
        let (path, name) = (&self.path, &self.runtime);
        code!(use #path as #name;)
    }

    /// A name that is not taken yet.
    pub(super) fn fresh(&self, base: &str) -> Ident {
        self.names.borrow_mut().fresh(base)
    }

    /// The buffers that a statement of the program mentions, with everything inside it.
    pub(super) fn mentioned(&self, stmt: &Stmt) -> Rc<BufferSet> {
        let address = std::ptr::from_ref(stmt).addr();
        if let Some(known) = self.mentioned.borrow().get(&address) {
            return known.clone();
        }
        let mut own = Mentions::default();
        own.add_own(self.program, stmt);
        let mut buffers = own.buffers;
        stmt.each_block(&mut |block| _ = buffers.union(&self.mentioned_in(block)));
        let buffers = Rc::new(buffers);
        self.mentioned.borrow_mut().insert(address, buffers.clone());
        buffers
    }

    /// The same of a block.
    pub(super) fn mentioned_in(&self, block: &[Stmt]) -> BufferSet {
        let mut buffers = BufferSet::new();
        for stmt in block {
            buffers.union(&self.mentioned(stmt));
        }
        buffers
    }

    /// A string literal.
    pub(super) fn string(&self, text: &str) -> Code {
        if let Some(known) = self.strings.borrow().get(text) {
            return known.clone();
        }
        let code = literal::string(text);
        self.strings.borrow_mut().insert(text.to_owned(), code.clone());
        code
    }

    /// The name of what lends memory.
    pub(super) fn name_arena(&mut self, arena: &Ident) {
        self.arena = arena.clone();
    }

    /// What lends memory. No code of a function owns any: where operations may panic, what is dropped behind them is a branch of each.
    pub(super) fn arena(&self) -> &Ident {
        self.lends.set(true);
        &self.arena
    }

    /// The name of the arena, if the function uses it.
    pub(super) fn lender(&self) -> Option<&Ident> {
        self.lends.get().then_some(&self.arena)
    }

    /// The names of a task and, of the code around it, of these iterators; arrays that it takes are still to be named.
    /// They are chosen as if nothing stood around the task.
    pub(super) fn rename(&mut self, task: &For, outer: &[IterId], own: &BufferSet) -> Names {
        let program = self.program;
        let mut names = Names::clone(&self.reserved);
        [&self.position, &self.level, &self.arena].into_iter().for_each(|name| names.take(name));
        let iters = Rc::make_mut(&mut self.iters);
        let mut around = Vec::new();
        for &iter in outer.iter().chain([&task.iter]) {
            let name = names.beside(&program[iter].name, &around);
            around.push(super::names::unraw(&name));
            iters[iter.0 as usize] = name;
        }
        let mut inner = vec![None; program.iters.len()];
        name_iters(program, &task.body, &names, &mut around, &mut inner);
        for (iter, name) in iters.iter_mut().zip(inner) {
            if let Some(name) = name {
                *iter = name;
            }
        }
        around.iter().for_each(|name| names.take(&super::names::ident(name)));
        iterators(&task.body).into_iter().for_each(|iter| names.take(&iters[iter.0 as usize]));
        for buffer in program.buffer_ids().filter(|buffer| own.contains(*buffer)) {
            self.storage[buffer.0 as usize] =
                Rc::new(Storage::local(program, buffer, |base| names.fresh(base)));
        }
        names
    }

    /// From now on the code is that of another function, in which these names are taken.
    pub(super) fn begin_function(&mut self, names: Names) {
        self.names = Rc::new(RefCell::new(names));
        self.lends = Rc::default();
        self.read = Rc::default();
    }

    /// What a buffer would like to be called.
    pub(super) fn name_of(&self, buffer: BufferId) -> String {
        let it = &self.program[buffer];
        match it.role {
            crate::ir::Role::Table(_) => opaque_name(&it.name),
            _ => it.name.clone(),
        }
    }

    /// The representation of a buffer.
    pub(super) fn storage(&self, buffer: BufferId) -> &Storage {
        &self.storage[buffer.0 as usize]
    }

    /// The local of an iterator.
    pub(super) fn iter(&self, iter: IterId) -> &Ident {
        &self.iters[iter.0 as usize]
    }

    /// The local that a user path is bound to.
    pub(super) fn opaque(&self, opaque: OpaqueId) -> &Ident {
        &self.opaques[opaque.0 as usize]
    }

    /// How many statements write the buffer.
    pub(super) fn writes(&self, buffer: BufferId) -> u32 {
        self.writes[buffer.0 as usize]
    }

    /// What a scalar of the program holds wherever it is read, if one statement assigns it.
    pub(super) fn definition(&self, buffer: BufferId) -> Option<&'a Expr> {
        self.definitions[buffer.0 as usize]
    }

    /// `mut` where something writes the buffer.
    pub(super) fn mutable(&self, buffer: BufferId) -> Code {
        if self.writes(buffer) > 0 { code!(mut) } else { code!() }
    }

    /// The line of the user's source; 0 where it is not known.
    pub(super) fn line(&self, span: SpanId) -> Code {
        let line = self.program.spans.get(span.0 as usize).map_or(0, |span| span.start().line);
        literal::usize(line)
    }
}

/// Loops that are not inside each other may share a name.
fn name_iters(
    program: &Program,
    block: &Block,
    names: &Names,
    around: &mut Vec<String>,
    iters: &mut [Option<Ident>],
) {
    for stmt in block {
        let iter = stmt.iter();
        if let Some(iter) = iter {
            let name = names.beside(&program[iter].name, around);
            around.push(super::names::unraw(&name));
            iters[iter.0 as usize] = Some(name);
        }
        stmt.blocks().into_iter().for_each(|block| name_iters(program, block, names, around, iters));
        if iter.is_some() {
            around.pop();
        }
    }
}

/// A local's name for a user path: the last segment in lower case.
fn opaque_name(text: &str) -> String {
    let path = text.split(['<', '(', '!']).next().unwrap_or(text);
    let last = path.trim_end_matches([':', ' ']).rsplit([':', ' ']).next().unwrap_or(path);
    let lower = last.to_lowercase();
    // a pattern of the constant's own name would be the constant
    if lower == last { format!("{lower}_value") } else { lower }
}

/// How many statements write each buffer.
fn writes(program: &Program) -> Vec<u32> {
    let mut writes = vec![0; program.buffers.len()];
    let mut count = |buffer: BufferId| writes[buffer.0 as usize] += 1;
    for stmt in &program.body {
        stmt.writes(&mut count);
    }
    writes
}

/// The arrays that change places.
fn swapped(program: &Program) -> BufferSet {
    let mut swapped = BufferSet::new();
    for stmt in &program.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Swap { a, b } = &stmt.kind {
                [*a, *b].into_iter().for_each(|buffer| _ = swapped.insert(buffer));
            }
        });
    }
    swapped
}

/// The values of local scalars that one statement assigns.
fn definitions<'a>(program: &'a Program, writes: &[u32]) -> Vec<Option<&'a Expr>> {
    let mut definitions = vec![None; program.buffers.len()];
    for stmt in &program.body {
        stmt.walk(&mut |stmt| {
            if let Some((target, value)) = stmt.as_assign()
                && target.index.is_empty()
                && writes[target.buffer.0 as usize] == 1
                && !program.params.contains(&target.buffer)
            {
                definitions[target.buffer.0 as usize] = Some(value);
            }
        });
    }
    definitions
}

/// The iterators of the loops that count down.
fn down(program: &Program) -> HashSet<IterId> {
    let mut found = HashSet::new();
    for stmt in &program.body {
        stmt.walk(&mut |stmt| {
            if let Some(it) = stmt.as_for()
                && it.order == Order::Down
            {
                found.insert(it.iter);
            }
        });
    }
    found
}

/// Everything that a program's code mentions: for the bindings that a body needs.
#[derive(Default)]
pub(super) struct Mentions {
    /// Buffers, also those whose extents alone are used.
    pub(super) buffers: BufferSet,
    /// User paths.
    pub(super) opaques: BTreeSet<OpaqueId>,
    /// Iterators.
    pub(super) iters: BTreeSet<IterId>,
}

impl Mentions {
    /// What the statements mention, with everything inside them.
    pub(super) fn of(program: &Program, block: &[Stmt]) -> Mentions {
        let mut mentions = Mentions::default();
        block.iter().for_each(|stmt| mentions.add_stmt(program, stmt));
        mentions
    }

    /// Adds what a statement and everything inside it mention.
    pub(super) fn add_stmt(&mut self, program: &Program, stmt: &Stmt) {
        stmt.walk(&mut |stmt| self.add_own(program, stmt));
    }

    /// The same without what is inside it.
    fn add_own(&mut self, program: &Program, stmt: &Stmt) {
        stmt.touches().for_each(|buffer| self.add_buffer(program, buffer));
        for buffer in stmt.declares() {
            program[*buffer].dims.iter().for_each(|extent| self.add_expr(program, extent));
        }
        stmt.each_expr(&mut |expr| self.add_expr(program, expr));
    }

    /// Adds what an expression mentions.
    pub(super) fn add_expr(&mut self, program: &Program, expr: &Expr) {
        expr.walk(&mut |expr| match &expr.kind {
            ExprKind::Load(place) => self.add_buffer(program, place.buffer),
            ExprKind::Extent(buffer, _) => self.add_buffer(program, *buffer),
            ExprKind::Opaque(opaque) => _ = self.opaques.insert(*opaque),
            ExprKind::Iter(iter) => _ = self.iters.insert(*iter),
            _ => {}
        });
    }

    /// Adds a buffer, and what its extents and its layout mention.
    fn add_buffer(&mut self, program: &Program, buffer: BufferId) {
        if !self.buffers.insert(buffer) {
            return;
        }
        let it = &program[buffer];
        it.dims.iter().for_each(|extent| self.add_expr(program, extent));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_bind_to_their_last_segment_in_lower_case() {
        for (text, name) in [
            ("SCALE", "scale"),
            ("super::G", "g"),
            ("super :: consts :: G", "g"),
            ("f64::consts::PI", "pi"),
            ("cfg!(debug_assertions)", "cfg_value"),
            ("consts::tau", "tau_value"),
            ("Table::<3>", "table"),
        ] {
            assert_eq!(super::opaque_name(text), name);
        }
    }
}
