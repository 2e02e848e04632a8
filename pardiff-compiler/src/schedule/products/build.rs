//! The version of a nest with products, beside the nest as it was.

use super::core::{Core, Operand};
use super::split::{Piece, Shared};
use crate::ir::{
    BinOp, Block, BufferId, Callee, Expr, ExprKind, For, Func, Matrix, Origin, Place, Product, Program, Role,
    Stmt, StmtKind, Ty, clone_stmts,
};
use crate::schedule::chunks::Builder;
use crate::schedule::cost::{saturating_add, saturating_mul, trip_count};
use crate::schedule::prices::{LARGE_PRODUCT, PRODUCT_ROWS};
use std::collections::HashMap;

/// Replaces a nest by two versions.
pub(super) fn versions(program: &mut Program, stmt: &mut Stmt, pieces: Vec<Piece>, shared: &[Shared]) {
    let Some(root) = stmt.as_for() else { return };
    let (root, origin) = (root.around(Vec::new()), stmt.origin);
    let Some(fact) = pays(&pieces) else { return };
    let then = match shared {
        [] => parts(program, &root, origin, pieces, &HashMap::new(), trip_count(&root)),
        shared => in_blocks(program, &root, origin, pieces, shared),
    };
    let otherwise = stmt.clone();
    stmt.kind = StmtKind::Guarded { fact, then, els: vec![otherwise] };
}

/// That all elements of the products are there, and one of them is large.
fn pays(pieces: &[Piece]) -> Option<Expr> {
    let cores = || {
        pieces.iter().filter_map(|piece| match piece {
            Piece::Core(core) => Some(core),
            Piece::Plain(_) => None,
        })
    };
    let mut all: Vec<Expr> = Vec::new();
    let mut large: Vec<Expr> = Vec::new();
    let add = |to: &mut Vec<Expr>, cond: Expr| {
        if !to.contains(&cond) {
            to.push(cond)
        }
    };
    for core in cores() {
        let sizes = core.loops.each_ref().map(|(_, lo, hi)| (lo, hi));
        for (lo, hi) in sizes {
            add(&mut all, Expr::binary(BinOp::Lt, lo.clone(), hi.clone()));
        }
        let least = Expr::usize(LARGE_PRODUCT);
        let each = sizes
            .map(|(lo, hi)| Expr::binary(BinOp::Le, saturating_add(lo.clone(), least.clone()), hi.clone()));
        add(&mut large, each.into_iter().reduce(|a, b| a & b)?);
    }
    add(&mut all, large.into_iter().reduce(|a, b| a | b)?);
    cores().flat_map(|core| &core.needs).for_each(|need| add(&mut all, need.clone()));
    all.into_iter().reduce(|a, b| a & b)
}

/// The parts for so many iterations of the outermost loop, one after the other.
fn parts(
    program: &mut Program,
    root: &For,
    origin: Origin,
    pieces: Vec<Piece>,
    expanded: &HashMap<BufferId, Expanded>,
    rows: Expr,
) -> Block {
    let mut block = Block::new();
    for piece in pieces {
        match piece {
            Piece::Core(core) => block.push(call(root, &core, expanded, &rows)),
            Piece::Plain(mut body) => {
                expand(&mut body, expanded);
                let each = root.around(body).stmt(origin);
                block.extend(clone_stmts(program, &[each]));
            }
        }
    }
    block
}

/// A local with the loops around its scope as its first dimensions.
struct Expanded {
    buffer: BufferId,
    /// Its index there.
    prefix: Vec<Expr>,
}

/// The parts for blocks of iterations, which bound the memory of what parts hand on.
fn in_blocks(
    program: &mut Program,
    root: &For,
    origin: Origin,
    pieces: Vec<Piece>,
    shared: &[Shared],
) -> Block {
    let mut builder = Builder { program, origin };
    let block = builder.index("block");
    let rows = builder.size("rows");
    let (start, count) = (Expr::iter(block, Ty::USIZE), builder.load(rows));
    let mut expanded = HashMap::new();
    for Shared { buffer, around } in shared {
        let mut like = program[*buffer].clone();
        let dims = around
            .iter()
            .enumerate()
            .map(|(at, each)| if at == 0 { count.clone() } else { trip_count(each) });
        like.dims = dims.chain(like.dims.iter().map(|dim| declared(program, dim))).collect();
        let prefix = around.iter().enumerate().map(|(at, each)| {
            let from = if at == 0 { start.clone() } else { each.lo.clone() };
            let iter = Expr::iter(each.iter, Ty::USIZE);
            if from == Expr::usize(0) { iter } else { Expr::binary(BinOp::Sub, iter, from) }
        });
        let prefix = prefix.collect();
        expanded.insert(*buffer, Expanded { buffer: program.add_buffer(like), prefix });
    }
    for Expanded { buffer, .. } in expanded.values() {
        if let Some(of) = program[*buffer].role.derived_from_mut()
            && let Some(new) = expanded.get(of)
        {
            *of = new.buffer;
        }
    }
    let hi = Expr::binary(BinOp::Add, start.clone(), count.clone());
    let of_block = For { lo: start.clone(), hi, ..root.clone() };
    let body = parts(program, &of_block, origin, pieces, &expanded, count);
    let builder = Builder { program, origin };
    let left = Expr::binary(BinOp::Sub, root.hi.clone(), start);
    let most = Expr::usize(PRODUCT_ROWS);
    let size = Expr::call(Ty::USIZE, Func::IntMin, vec![most.clone(), left]);
    let buffers = shared.iter().map(|shared| expanded[&shared.buffer].buffer).collect();
    let body = vec![builder.assign(Place::scalar(rows), size), builder.scope(buffers, body)];
    let blocks = For { lo: root.lo.clone(), step: most, ..For::counted(block, root.hi.clone(), Vec::new()) };
    let body = vec![builder.scope(vec![rows], body)];
    vec![builder.stmt(StmtKind::For(For { body, ..blocks }))]
}

/// An extent without those of other locals.
fn declared(program: &Program, dim: &Expr) -> Expr {
    dim.map(&mut |node| match node.kind {
        ExprKind::Extent(buffer, at) if program[buffer].role == Role::Local => {
            program[buffer].dims[at].clone()
        }
        _ => node,
    })
}

/// Lets a block use the expanded locals.
fn expand(block: &mut Block, expanded: &HashMap<BufferId, Expanded>) {
    let place = |place: &mut Place| {
        if let Some(Expanded { buffer, prefix }) = expanded.get(&place.buffer) {
            place.buffer = *buffer;
            place.index.splice(0..0, prefix.iter().cloned());
        }
    };
    for stmt in block {
        for expr in stmt.exprs_mut() {
            *expr = expr.map(&mut |mut node| {
                match &mut node.kind {
                    ExprKind::Load(load) => place(load),
                    ExprKind::Extent(buffer, dim) => {
                        if let Some(it) = expanded.get(buffer) {
                            (*buffer, *dim) = (it.buffer, *dim + it.prefix.len());
                        }
                    }
                    _ => {}
                }
                node
            });
        }
        if let Some((target, _)) = stmt.as_store_mut() {
            place(target);
        }
        stmt.blocks_mut().into_iter().for_each(|inner| expand(inner, expanded));
    }
}

/// A product over so many iterations of the outermost loop.
fn call(root: &For, core: &Core, expanded: &HashMap<BufferId, Expanded>, rows: &Expr) -> Stmt {
    let sizes = core.roles.map(|at| match at {
        0 => rows.clone(),
        at => {
            let (iter, lo, hi) = core.loops[at].clone();
            trip_count(&For { lo, ..For::counted(iter, hi, Vec::new()) })
        }
    });
    let [row, column, term] = core.roles;
    let matrix = |operand: &Operand, along: [usize; 2]| {
        let steps = along.map(|at| operand.steps[at].clone());
        Matrix { first: operand.first_of(core, root), steps }
    };
    let product = Product {
        sizes,
        scale: core.scale.clone(),
        target: matrix(&core.target, [row, column]),
        left: matrix(&core.left, [row, term]),
        right: matrix(&core.right, [term, column]),
    };
    let buffer = |operand: &Operand| match expanded.get(&operand.buffer) {
        Some(it) => it.buffer,
        None => operand.buffer,
    };
    let target = buffer(&core.target);
    let reads = vec![buffer(&core.left), buffer(&core.right), target];
    let callee = Callee::Product(Box::new(product));
    Stmt::new(StmtKind::Call { callee, reads, writes: vec![target] }, core.origin)
}

impl Operand {
    /// The index of the element of the first iteration of all three loops, of which the outermost begins elsewhere.
    fn first_of(&self, core: &Core, root: &For) -> Vec<Expr> {
        self.first
            .iter()
            .zip(&self.steps[0])
            .enumerate()
            .map(|(dim, (first, step))| {
                if dim < self.depth || root.lo == core.loops[0].1 {
                    return first.clone();
                }
                let behind = Expr::binary(BinOp::Sub, root.lo.clone(), core.loops[0].1.clone());
                let behind = if core.loops[0].1 == Expr::usize(0) { root.lo.clone() } else { behind };
                saturating_add(first.clone(), saturating_mul(behind, step.clone()))
            })
            .collect()
    }
}
