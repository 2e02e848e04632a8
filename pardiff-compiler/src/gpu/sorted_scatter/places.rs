//! How many updates there are, and which of them each one is.

use super::sites::{Axis, Length, Site, Updates};
use crate::ir::{
    BinOp, Block, Buffer, BufferId, Callee, Exec, Expr, For, Func, Int, IterId, Level, Place, Role, Space,
    Stmt, StmtKind, Ty,
};
use crate::schedule::Decisions;
use crate::schedule::chunks::Builder;
use crate::schedule::cost::{saturating_add, saturating_mul};
use crate::schedule::summation::least;

/// The type of keys and of numbers of updates.
pub(super) const NARROW: Ty = Ty::Int(Int::U32);

/// Where the iterations of loops of unknown lengths begin, for each iteration of the loops around.
pub(super) struct Counted {
    /// The loop, and those around it.
    axes: Vec<Axis>,
    /// By the number of the iteration of these, and in the end for all.
    pub(super) first: BufferId,
    /// How many iterations there are in all: on the device, and on the host.
    pub(super) total: BufferId,
    pub(super) most: BufferId,
}

impl Counted {
    /// The loops of a site, as far as one of them has no known length.
    fn axes(site: &Site) -> Option<&[Axis]> {
        let ragged = site.axes.iter().position(|axis| axis.length == Length::Ragged)?;
        Some(&site.axes[..=ragged])
    }

    /// Those that are to be counted for these updates; loops over the same iterations are counted once.
    pub(super) fn all(build: &mut Builder<'_>, all: &[Updates]) -> Vec<Counted> {
        let mut found: Vec<Counted> = Vec::new();
        for updates in all {
            for axes in updates.sites.iter().filter_map(Counted::axes) {
                if found.iter().any(|known| known.is_of(axes)) {
                    continue;
                }
                let name = build.program[updates.target].name.clone();
                let len = product(&axes[..axes.len() - 1]);
                let len = saturating_add(len, Expr::usize(1));
                let first = Buffer::new(&format!("{name}_first"), Ty::USIZE, vec![len], Role::Local);
                let first = build.program.add_buffer(first);
                let (total, most) = (build.size("total"), build.size(&format!("{name}_total")));
                build.program[most].space = Space::Host;
                found.push(Counted { axes: axes.to_vec(), first, total, most });
            }
        }
        found
    }

    /// Whether these are the same iterations: of the same loops around, and with the same bounds.
    fn is_of(&self, axes: &[Axis]) -> bool {
        let (Some((own, around)), Some((other, same))) = (self.axes.split_last(), axes.split_last()) else {
            return false;
        };
        around == same && own.lo == other.lo && own.hi == other.hi
    }

    /// Counts them.
    pub(super) fn count(&self, build: &mut Builder<'_>, decisions: &mut Decisions) -> Block {
        let Some((ragged, around)) = self.axes.split_last() else { return Block::new() };
        let mut bounds = [ragged.lo.clone(), ragged.hi.clone()];
        let mut loops: Vec<Axis> = Vec::new();
        for axis in around {
            let name = build.program[axis.iter].name.clone();
            let iter = build.index(&name);
            let here = Expr::iter(iter, Ty::USIZE);
            bounds = bounds.map(|bound| bound.at(axis.iter, &here));
            loops.push(Axis { iter, ..axis.clone() });
        }
        let [lo, hi] = bounds;
        let trips = Expr::select(
            Expr::binary(BinOp::Lt, lo.clone(), hi.clone()),
            Expr::call(Ty::USIZE, Func::WrappingSub, vec![hi, lo]),
            Expr::usize(0),
        );
        let end = product(around);
        let last = Place::new(self.first, vec![end.clone()]);
        let here = Place::new(self.first, vec![numbered(&loops)]);
        let mut body = vec![build.assign(here.clone(), Expr::usize(0))];
        body.extend(build.if_there(&[&trips], vec![build.assign(here, trips.clone())]));
        for axis in loops.iter().rev() {
            let lo = if axis.length == Length::Below { Expr::usize(0) } else { axis.lo.clone() };
            body = vec![over_threads(build, axis.iter, lo, axis.hi.clone(), body)];
        }
        if let Some(outermost) = loops.first() {
            let name = &build.program[ragged.iter].name;
            decisions.loops.insert(outermost.iter, format!("parallel: counts the iterations over `{name}`"));
        }
        let len = Box::new(saturating_add(end, Expr::usize(1)));
        let kind =
            StmtKind::Call { callee: Callee::Scan(len), reads: vec![self.first], writes: vec![self.first] };
        body.insert(0, build.assign(last.clone(), Expr::usize(0)));
        body.extend([
            build.stmt(kind),
            build.set(self.total, last.load(Ty::USIZE)),
            build.set(self.most, build.load(self.total)),
        ]);
        body
    }
}

/// The places of the updates of an array.
pub(super) struct Places {
    /// Of each site: how many updates are in front of its own.
    before: Vec<BufferId>,
    /// How many there are.
    pub(super) updates: BufferId,
    /// For how many there is room: for all, or for more than any machine has, where they or the elements have no number.
    room: BufferId,
    /// Of the element, or row, of each: the number; a greater one where there is no update.
    pub(super) keys: BufferId,
    /// What is added.
    pub(super) terms: BufferId,
    /// Where the updates were before they were sorted.
    pub(super) order: BufferId,
    /// The number of elements, or of rows.
    pub(super) rows: Expr,
}

impl Places {
    pub(super) fn new(build: &mut Builder<'_>, updates: &Updates) -> Places {
        let Buffer { name, elem, dims, .. } = build.program[updates.target].clone();
        let extents = (0..dims.len()).map(|dim| Expr::extent(updates.target, dim));
        let form = updates.sites.first().and_then(|site| site.row.as_ref());
        let rows = match form {
            None => extents.fold(Expr::usize(1), saturating_mul),
            Some((_, _, row)) => row.rows(Expr::extent(updates.target, 0)),
        };
        let before = updates.sites.iter().map(|_| build.size("before")).collect();
        let count = build.size(&format!("{name}_updates"));
        let room = build.size(&format!("{name}_room"));
        let len = build.load(room);
        let mut array = |what: &str, elem: Ty, dims: Vec<Expr>, role: Role| {
            build.program.add_buffer(Buffer::new(&format!("{name}_{what}"), elem, dims, role))
        };
        let dims = [len.clone()].into_iter().chain(updates.row.clone()).collect();
        let terms = array("terms", elem, dims, Role::Tape);
        let [keys, order] = ["keys", "order"].map(|what| array(what, NARROW, vec![len.clone()], Role::Local));
        Places { before, updates: count, room, keys, terms, order, rows }
    }

    /// Variables of the host.
    pub(super) fn sizes(&self) -> Vec<BufferId> {
        self.before.iter().copied().chain([self.updates, self.room]).collect()
    }

    /// Finds out how many there are.
    pub(super) fn measure(&self, build: &Builder<'_>, updates: &Updates, counted: &[Counted]) -> Block {
        let mut block = Block::new();
        let mut sum = Expr::usize(0);
        for (site, &before) in updates.sites.iter().zip(&self.before) {
            block.push(build.set(before, sum));
            let own = match Counted::axes(site) {
                None => product(&site.axes),
                Some(axes) => {
                    let inner = product(&site.axes[axes.len()..]);
                    let most = counted.iter().find(|it| it.is_of(axes)).map(|it| build.load(it.most));
                    most.map_or(inner.clone(), |most| saturating_mul(most, inner))
                }
            };
            sum = saturating_add(build.load(before), own);
        }
        block.push(build.set(self.updates, sum));
        let fits = |size: Expr| size.at_most(Expr::int(Ty::USIZE, u32::MAX.into()));
        let fit = fits(build.load(self.updates)) & fits(self.rows.clone());
        let room = Expr::select(fit, build.load(self.updates), Expr::int(Ty::USIZE, u64::MAX.into()));
        block.push(build.set(self.room, room));
        block
    }

    /// The place of the update that a site makes.
    pub(super) fn place(&self, build: &Builder<'_>, number: usize, site: &Site, counted: &[Counted]) -> Expr {
        let own = match Counted::axes(site) {
            None => numbered(&site.axes),
            Some(axes) => {
                let around = numbered(&axes[..axes.len() - 1]);
                let first = counted.iter().find(|it| it.is_of(axes));
                let first = first.map(|it| Place::new(it.first, vec![around]).load(Ty::USIZE));
                let start = axes[axes.len() - 1].position();
                let start = first.map_or(start.clone(), |first| first + start);
                further(start, &site.axes[axes.len()..])
            }
        };
        match number {
            0 => own,
            _ => build.load(self.before[number]) + own,
        }
    }
}

/// How many iterations loops have together.
pub(super) fn product(axes: &[Axis]) -> Expr {
    axes.iter().map(Axis::extent).fold(Expr::usize(1), saturating_mul)
}

/// The number of an iteration of all of these loops together.
fn numbered(axes: &[Axis]) -> Expr {
    match axes.split_first() {
        None => Expr::usize(0),
        Some((outermost, inner)) => further(outermost.position(), inner),
    }
}

fn further(start: Expr, inner: &[Axis]) -> Expr {
    inner.iter().fold(start, |at, axis| at * axis.extent() + axis.position())
}

/// A loop over threads.
pub(super) fn over_threads(build: &Builder<'_>, iter: IterId, lo: Expr, hi: Expr, body: Block) -> Stmt {
    let exec = Exec::Parallel(Level::Grid);
    build.stmt(StmtKind::For(For { lo, exec, ..For::counted(iter, hi, body) }))
}

/// The loop in portions: `from` and `to` are the bounds of one.
pub(super) fn in_portions(
    build: &mut Builder<'_>,
    [from, to]: [BufferId; 2],
    whole: &Axis,
    portion: Expr,
    mut body: Block,
) -> Stmt {
    let size = build.size("portion");
    let number = build.index("part");
    let start = whole.lo.clone() + Expr::iter(number, Ty::USIZE) * build.load(size);
    let end = least(build.load(from) + build.load(size), whole.hi.clone());
    body.splice(..0, [build.set(from, start), build.set(to, end)]);
    let portions = Expr::call(Ty::USIZE, Func::DivCeil, vec![whole.extent(), build.load(size)]);
    let each = build.sequential(number, portions, body);
    build.scope(vec![size], vec![build.set(size, portion), each])
}
