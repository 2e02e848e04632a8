//! Lengths of arrays that the host of a GPU does not know: it asks the device, in front of what declares them.
//!
//! ```text
//! grid: for i in 0..n                            scope longest, most: host
//!   scope row: f64[start[i + 1] - start[i]]        longest = 0
//!     …                                   =>       grid: for i in 0..n
//!                                                    longest max= start[i + 1] - start[i]
//!                                                  most = longest                         # the host reads it back
//!                                                  grid: for i in 0..n
//!                                                    scope row: f64[most]
//!                                                      …
//! ```
//!
//! **Legality.** The loop in front is a copy of the one that declares the arrays, without all that their lengths do not depend on,
//! and so finds the same lengths: what it reads from around the loop the loop does not write. Its checks are those of the loop,
//! which fail where these would. Arrays of the greatest length have room for every iteration. A length that follows from what the host
//! knows by way of variables of the loop is computed by the host; where a length depends on what the loop writes, it stays
//! unknown.

use super::blocks;
use super::host::Host;
use crate::ir::{
    Block, BufferId, BufferSet, Exec, Expr, ExprKind, Level, Place, Program, ReduceOp, Role, Scheme, Space,
    Stmt, StmtKind, Ty, clone_stmts, declared, written,
};
use crate::limits::VARIABLES_FOR_VARIABLES;
use crate::schedule::Decisions;
use crate::schedule::chunks::Builder;
use std::collections::HashMap;

/// Gives lengths that the host knows to the arrays that have none, where that can be; see the module.
pub(super) fn ask(program: &mut Program, decisions: &mut Decisions) {
    let before = program.clone();
    let host = Host::of(&before);
    let mut any = false;
    before.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let Some((buffers, _)) = stmt.as_scope() {
                any |= buffers.iter().any(|&id| !unknown(&before, &host, id).is_empty());
            }
        });
    });
    if !any {
        return;
    }
    let mut body = std::mem::take(&mut program.body);
    Lengths { program, host: &host, decisions }.block(&mut body);
    program.body = body;
}

/// The dimensions of an array whose extents the host does not know.
fn unknown(program: &Program, host: &Host<'_>, id: BufferId) -> Vec<usize> {
    let buffer = &program[id];
    match buffer.layout {
        _ if buffer.layout.grows() => Vec::new(),
        _ => (0..buffer.rank()).filter(|&dim| !host.knows(&buffer.dims[dim])).collect(),
    }
}

/// A length, where the device finds the greatest value of it, and where the host keeps that.
struct Asked {
    length: Expr,
    longest: BufferId,
    most: BufferId,
}

struct Lengths<'a, 'p> {
    program: &'a mut Program,
    host: &'a Host<'p>,
    decisions: &'a mut Decisions,
}

impl Lengths<'_, '_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            if !self.host.runs(stmt) {
                self.of_device(stmt);
                continue;
            }
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            self.of_host(stmt);
        }
    }

    /// A scope of the host: the device computes its lengths once.
    fn of_host(&mut self, stmt: &mut Stmt) {
        let Some((buffers, _)) = stmt.as_scope() else { return };
        let ids = buffers.to_vec();
        let mut asked = Vec::new();
        for &id in &ids {
            self.flatten(id);
            for dim in unknown(self.program, self.host, id) {
                let length = self.program[id].dims[dim].clone();
                self.name(&mut asked, id, length);
            }
        }
        if asked.is_empty() {
            return;
        }
        let origin = stmt.origin;
        let find = |asked: &Asked| {
            let kind = StmtKind::Assign { target: Place::scalar(asked.longest), value: asked.length.clone() };
            Stmt::new(kind, origin)
        };
        let finds = asked.iter().map(find).collect();
        self.known(stmt, &ids, asked, finds);
    }

    /// A kernel, or what one thread does, and the arrays that are declared inside.
    fn of_device(&mut self, stmt: &mut Stmt) {
        let mut ids: Vec<BufferId> = Vec::new();
        stmt.walk(&mut |stmt| {
            if let Some((buffers, _)) = stmt.as_scope() {
                ids.extend(buffers);
            }
        });
        let variables = variables(stmt);
        for &id in &ids {
            self.flatten(id);
            for dim in unknown(self.program, self.host, id) {
                let resolved = resolved(&self.program[id].dims[dim], &variables, VARIABLES_FOR_VARIABLES);
                if self.host.knows(&resolved) {
                    self.replace(stmt, id, dim, resolved);
                }
            }
        }
        ids.retain(|&id| !unknown(self.program, self.host, id).is_empty());
        if ids.is_empty() {
            return;
        }
        let kernel = stmt.as_for().is_some_and(|each| each.exec == Exec::Parallel(Level::Grid));
        let scheme = if kernel { Scheme::ScalarReduction } else { Scheme::Sequential };
        let mut asked = Vec::new();
        let mut marked = vec![stmt.clone()];
        self.mark(&mut marked, scheme, &mut asked);
        let mut copy = clone_stmts(self.program, &marked);
        let asks: Vec<BufferId> = asked.iter().map(|asked| asked.longest).collect();
        if !self.slice(stmt, &mut copy, &asks) {
            return;
        }
        if let [Stmt { kind: StmtKind::For(each), .. }] = &copy[..] {
            let mut names: Vec<String> =
                ids.iter().map(|&id| format!("`{}`", self.program[id].name)).collect();
            names.dedup();
            let how = if kernel { "parallel: " } else { "" };
            let what = format!("{how}finds the greatest length of {}", names.join(" and "));
            self.decisions.loops.insert(each.iter, what);
        }
        let build = Builder { program: self.program, origin: stmt.origin };
        let mut finds: Block = asks.iter().map(|&longest| build.set(longest, Expr::usize(0))).collect();
        finds.extend(copy);
        self.known(stmt, &ids, asked, finds);
    }

    /// Writes the lengths of local arrays of which an array has its own in their places.
    fn flatten(&mut self, id: BufferId) {
        let dims = self.program[id].dims.iter().map(|dim| blocks::resolved(self.program, dim)).collect();
        if !self.program[id].layout.grows() {
            self.program[id].dims = dims;
        }
    }

    fn name(&mut self, asked: &mut Vec<Asked>, id: BufferId, length: Expr) -> BufferId {
        if let Some(known) = asked.iter().find(|known| known.length == length) {
            return known.longest;
        }
        let name = format!("{}_len", self.program[id].name);
        let longest = self.program.add_scalar("longest", Ty::USIZE, Role::Local);
        let most = self.program.add_scalar(&name, Ty::USIZE, Role::Local);
        self.program[most].space = Space::Host;
        asked.push(Asked { length, longest, most });
        longest
    }

    /// Puts in front of each scope a statement that takes the lengths of its arrays into account.
    fn mark(&mut self, block: &mut Block, scheme: Scheme, asked: &mut Vec<Asked>) {
        let mut out = Block::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            if let Some((buffers, _)) = stmt.as_scope() {
                for &id in buffers {
                    for dim in unknown(self.program, self.host, id) {
                        let value = self.program[id].dims[dim].clone();
                        let target = Place::scalar(self.name(asked, id, value.clone()));
                        let kind = StmtKind::Reduce { op: ReduceOp::Max, target, value, scheme };
                        let more = Stmt::new(kind, stmt.origin);
                        if out.last() != Some(&more) {
                            out.push(more);
                        }
                    }
                }
            }
            stmt.blocks_mut().into_iter().for_each(|inner| self.mark(inner, scheme, asked));
            out.push(stmt);
        }
        *block = out;
    }

    /// Leaves of a copy of a statement what the variables `asks` depend on; whether they are then what they would be in the
    /// statement itself.
    fn slice(&mut self, whole: &Stmt, copy: &mut Block, asks: &[BufferId]) -> bool {
        let mut needed = BufferSet::new();
        asks.iter().for_each(|&ask| {
            needed.insert(ask);
        });
        copy.iter_mut().for_each(|stmt| rewrite(stmt, &mut |expr| blocks::resolved(self.program, expr)));
        let (own, written) = (declared(copy), written(copy));
        let is_constant = |id: BufferId| !written.contains(id);
        while grow(self.program, copy, &mut needed, &is_constant) {}
        let mut opaque = false;
        whole.walk(&mut |stmt| opaque |= stmt.is_opaque());
        let outside = |id: BufferId| needed.contains(id) && !own.contains(id) && !asks.contains(&id);
        let mut changes = self.program.buffer_ids().filter(|&id| outside(id) && written.contains(id));
        let sized = |id: BufferId| self.program[id].dims.iter().all(|dim| self.host.knows(dim));
        let mut locals = self.program.buffer_ids().filter(|&id| own.contains(id) && needed.contains(id));
        let grows = |id: BufferId| self.program[id].layout.grows();
        if opaque || changes.next().is_some() || !locals.all(|id| sized(id) && !grows(id)) {
            return false;
        }
        keep(self.program, copy, &needed, &is_constant);
        for id in self.program.buffer_ids().filter(|&id| own.contains(id)) {
            self.program[id].space = Space::Thread;
        }
        true
    }

    /// The statement behind what finds its lengths, as arrays of these lengths.
    fn known(&mut self, stmt: &mut Stmt, ids: &[BufferId], asked: Vec<Asked>, finds: Block) {
        for &id in ids {
            for dim in unknown(self.program, self.host, id) {
                let of = asked.iter().find(|asked| asked.length == self.program[id].dims[dim]);
                if let Some(Asked { most, .. }) = of {
                    let most = self.program.load_scalar(*most);
                    self.replace(stmt, id, dim, most);
                }
            }
        }
        let build = Builder { program: self.program, origin: stmt.origin };
        let mut body = finds;
        for Asked { longest, most, .. } in &asked {
            body.push(build.assign(Place::scalar(*most), build.load(*longest)));
        }
        let whole = std::mem::replace(stmt, build.stmt(StmtKind::Fork { tasks: Vec::new() }));
        body.push(whole);
        *stmt = build.scope(asked.iter().flat_map(|asked| [asked.longest, asked.most]).collect(), body);
    }

    /// Gives an array another extent; where the program asks for the extent it stays what it was.
    fn replace(&mut self, stmt: &mut Stmt, id: BufferId, dim: usize, extent: Expr) {
        let old = std::mem::replace(&mut self.program[id].dims[dim], extent);
        let is_it = ExprKind::Extent(id, dim);
        rewrite(stmt, &mut |expr| expr.map(&mut |node| if node.kind == is_it { old.clone() } else { node }));
    }
}

/// The values of variables that a statement declares and assigns once.
fn variables(stmt: &Stmt) -> HashMap<BufferId, Expr> {
    let own = declared(std::slice::from_ref(stmt));
    let mut values: HashMap<BufferId, Option<Expr>> = HashMap::new();
    stmt.walk(&mut |stmt| {
        let value = stmt.as_scalar_assign().map(|(_, value)| value.clone());
        if !stmt.is_opaque() {
            stmt.writes_itself(&mut |target| {
                values.entry(target).and_modify(|known| *known = None).or_insert(value.clone());
            });
        }
    });
    values.into_iter().filter(|(id, _)| own.contains(*id)).filter_map(|(id, it)| Some((id, it?))).collect()
}

/// An expression with the values of variables in their places.
fn resolved(expr: &Expr, variables: &HashMap<BufferId, Expr>, depth: usize) -> Expr {
    expr.map(&mut |node| match &node.kind {
        ExprKind::Load(place) if depth > 0 => match variables.get(&place.buffer) {
            Some(value) => resolved(value, variables, depth - 1),
            None => node,
        },
        _ => node,
    })
}

/// Whether a statement by itself belongs to what is needed.
fn is_needed(
    program: &Program,
    stmt: &Stmt,
    needed: &BufferSet,
    is_constant: &dyn Fn(BufferId) -> bool,
) -> bool {
    // what may be checked with what is there: among these are the checks of all accesses that are needed
    if stmt.as_check().is_some() {
        let mut there = true;
        stmt.each_expr(&mut |expr| {
            expr.reads(program, &mut |id| there &= needed.contains(id) || is_constant(id));
        });
        return there;
    }
    let mut wanted = false;
    stmt.writes_itself(&mut |buffer| wanted |= !stmt.is_opaque() && needed.contains(buffer));
    wanted
}

/// Whether something that is needed stands in a block.
fn holds(
    program: &Program,
    block: &[Stmt],
    needed: &BufferSet,
    is_constant: &dyn Fn(BufferId) -> bool,
) -> bool {
    let mut found = false;
    block.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            found |= stmt.as_check().is_none() && is_needed(program, stmt, needed, is_constant)
        });
    });
    found
}

/// Adds what statements that are needed read; whether that is anything new.
fn grow(
    program: &Program,
    block: &[Stmt],
    needed: &mut BufferSet,
    is_constant: &dyn Fn(BufferId) -> bool,
) -> bool {
    let mut new = BufferSet::new();
    block.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            let inner = stmt.blocks();
            let around = inner.iter().any(|block| holds(program, block, needed, is_constant));
            let itself = stmt.as_check().is_none() && is_needed(program, stmt, needed, is_constant);
            if around || itself {
                for expr in stmt.exprs() {
                    expr.reads(program, &mut |id| {
                        new.insert(id);
                    });
                }
                if let StmtKind::Swap { a, b } = stmt.kind {
                    new.insert(a);
                    new.insert(b);
                }
            }
        });
    });
    needed.union(&new)
}

/// Takes everything else out of a block; loops that stay run in order, but for threads of their own.
fn keep(program: &Program, block: &mut Block, needed: &BufferSet, is_constant: &dyn Fn(BufferId) -> bool) {
    block.retain_mut(|stmt| {
        if stmt.blocks().is_empty() {
            return is_needed(program, stmt, needed, is_constant);
        }
        if !holds(program, std::slice::from_ref(stmt), needed, is_constant) {
            return false;
        }
        if let Some(each) = stmt.as_for_mut().filter(|each| each.exec != Exec::Parallel(Level::Grid)) {
            each.exec = Exec::Sequential;
        }
        if let Some((buffers, _)) = stmt.as_scope_mut() {
            buffers.retain(|&id| needed.contains(id));
        }
        stmt.blocks_mut().into_iter().for_each(|inner| keep(program, inner, needed, is_constant));
        true
    });
}

/// Rewrites the expressions of a statement and of those inside.
fn rewrite(stmt: &mut Stmt, new: &mut dyn FnMut(&Expr) -> Expr) {
    stmt.exprs_mut().into_iter().for_each(|expr| *expr = new(expr));
    stmt.blocks_mut().into_iter().flatten().for_each(|inner| rewrite(inner, new));
}
