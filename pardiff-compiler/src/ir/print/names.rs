//! A unique name for everything that a program declares.

use crate::ir::{BufferId, BufferSet, IterId, OpaqueId, Program, Role, Stmt, StmtKind};
use crate::map::Map;
use std::collections::HashSet;

/// Words that begin a statement or mean something inside an expression.
pub(crate) const RESERVED: &[&str] = &[
    "_",
    "as",
    "buffer",
    "call",
    "check",
    "else",
    "f32",
    "f64",
    "false",
    "for",
    "fork",
    "guard",
    "if",
    "in",
    "len",
    "loop",
    "opaque",
    "otherwise",
    "poly",
    "scope",
    "select",
    "swap",
    "table",
    "task",
    "true",
    "while",
];

/// A unique name for every buffer, iterator and user path of a program, as its text form shows them.
#[derive(Clone, Debug, Default)]
pub struct Names {
    buffers: Map<BufferId, String>,
    iters: Map<IterId, String>,
    opaques: Map<OpaqueId, String>,
    taken: Map<String, u32>,
}

/// Something that has a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Declared {
    Buffer(BufferId),
    Iter(IterId),
    Opaque(OpaqueId),
}

impl Names {
    /// The names of a program. They are given in the order of declaration in the text, so that a name does not
    /// depend on what the program no longer uses.
    pub fn new(program: &Program) -> Names {
        let mut names = Names::default();
        let mut order = declarations(program);
        order.extend(program.buffer_ids().map(Declared::Buffer));
        order.extend((0..program.iters.len() as u32).map(|id| Declared::Iter(IterId(id))));
        order.extend((0..program.opaques.len() as u32).map(|id| Declared::Opaque(OpaqueId(id))));
        for declared in order {
            names.declare(program, declared);
        }
        names
    }

    /// The name of a buffer.
    pub fn buffer(&self, id: BufferId) -> &str {
        self.buffers.get(&id).map_or("?buffer", String::as_str)
    }

    /// The name of an iterator.
    pub fn iter(&self, id: IterId) -> &str {
        self.iters.get(&id).map_or("?iterator", String::as_str)
    }

    /// The name of a user path.
    pub fn opaque(&self, id: OpaqueId) -> &str {
        self.opaques.get(&id).map_or("?path", String::as_str)
    }

    fn declare(&mut self, program: &Program, declared: Declared) {
        match declared {
            Declared::Buffer(id) if !self.buffers.contains_key(&id) => {
                let base = program.buffers.get(id.0 as usize).map_or("", |buffer| &buffer.name);
                let name = self.unique(base);
                self.buffers.insert(id, name);
            }
            Declared::Iter(id) if !self.iters.contains_key(&id) => {
                let base = program.iters.get(id.0 as usize).map_or("", |iter| &iter.name);
                let name = self.unique(base);
                self.iters.insert(id, name);
            }
            Declared::Opaque(id) if !self.opaques.contains_key(&id) => {
                let text = program.opaques.get(id.0 as usize).map_or("", |opaque| &opaque.text);
                let last = text.rsplit("::").next().unwrap_or(text).trim();
                let name = self.unique(last);
                self.opaques.insert(id, name);
            }
            _ => {}
        }
    }

    fn unique(&mut self, base: &str) -> String {
        let base = identifier(base);
        let start = if RESERVED.contains(&base.as_str()) { 1 } else { 0 };
        let number = self.taken.entry(base.clone()).or_insert(start);
        *number += 1;
        match *number {
            1 if start == 0 => base,
            number if start == 1 => format!("{base}.{}", number - 1),
            number => format!("{base}.{number}"),
        }
    }
}

/// The name with everything replaced that an identifier cannot have.
fn identifier(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let mut out: String =
        name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if out.is_empty() || out.starts_with(|c: char| c.is_numeric()) {
        out.insert(0, '_');
    }
    out
}

/// What the text declares, in its order: parameters, results, tables, buffers that are mentioned but not declared
/// anywhere, user paths, then the scopes and loops of the body.
pub(super) fn declarations(program: &Program) -> Vec<Declared> {
    let mut out = Vec::new();
    out.extend(program.params.iter().chain(&program.results).copied().map(Declared::Buffer));
    out.extend(tables(program).into_iter().map(Declared::Buffer));
    out.extend(strays(program).into_iter().map(Declared::Buffer));
    out.extend(paths(program).into_iter().map(Declared::Opaque));
    crate::ir::walk(&program.body, &mut |stmt| match &stmt.kind {
        StmtKind::Scope { buffers, .. } => out.extend(buffers.iter().copied().map(Declared::Buffer)),
        StmtKind::For(for_) => out.push(Declared::Iter(for_.iter)),
        StmtKind::While(while_) => out.push(Declared::Iter(while_.counter)),
        _ => {}
    });
    out
}

/// The constant tables.
pub(super) fn tables(program: &Program) -> Vec<BufferId> {
    program.buffer_ids().filter(|&id| matches!(program[id].role, Role::Table(_))).collect()
}

/// The user paths that are not tables.
pub(super) fn paths(program: &Program) -> Vec<OpaqueId> {
    let of_tables: HashSet<OpaqueId> = program
        .buffers
        .iter()
        .filter_map(|buffer| match buffer.role {
            Role::Table(opaque) => Some(opaque),
            _ => None,
        })
        .collect();
    (0..program.opaques.len() as u32).map(OpaqueId).filter(|id| !of_tables.contains(id)).collect()
}

/// Buffers that are mentioned, be it in a role, but declared nowhere.
pub(super) fn strays(program: &Program) -> Vec<BufferId> {
    let (mut declared, mut seen) = (BufferSet::new(), BufferSet::new());
    let given = program.params.iter().chain(&program.results).copied();
    given.chain(tables(program)).for_each(|id| _ = declared.insert(id));
    let mut mentioned = BufferSet::new();
    crate::ir::walk(&program.body, &mut |stmt| {
        if let StmtKind::Scope { buffers, .. } = &stmt.kind {
            buffers.iter().for_each(|&id| _ = declared.insert(id));
        }
        each_buffer(stmt, &mut |id| _ = mentioned.insert(id));
    });
    let mut strays = Vec::new();
    let mut work: Vec<BufferId> = declared.iter().chain(mentioned.iter()).collect();
    while let Some(id) = work.pop() {
        let Some(buffer) = program.buffers.get(id.0 as usize) else { continue };
        if !seen.insert(id) {
            continue;
        }
        if !declared.contains(id) {
            strays.push(id);
        }
        if let Some((of, _)) = buffer.role.derivative() {
            work.push(of);
        }
        for dim in &buffer.dims {
            dim.each_named(&mut |id| work.push(id));
        }
    }
    strays.sort();
    strays
}

/// Calls `visit` on each buffer that a statement itself mentions, those that it declares apart.
fn each_buffer(stmt: &Stmt, visit: &mut dyn FnMut(BufferId)) {
    stmt.each_expr(&mut |expr| expr.each_named(visit));
    stmt.writes_itself(visit);
    stmt.given().iter().copied().for_each(visit);
}
