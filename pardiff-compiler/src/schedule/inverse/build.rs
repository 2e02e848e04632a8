//! The versions of a loop: with an index, the loop that stores what terms are made of and the one that gathers.

use super::Inverse;
use super::index::{Index, NARROW};
use super::sites::{Range, Row, Site};
use super::split::{Given, Split, There};
use crate::ir::{
    Block, Buffer, BufferId, Expr, For, Place, ReduceOp, Role, Scheme, Stmt, StmtKind, Ty, clone_stmts,
    declared,
};
use crate::poly::Proof;
use crate::schedule::Decisions;
use crate::schedule::chunks::{Builder, cut_always};
use crate::schedule::cost;
use crate::schedule::multiversion::cut;
use crate::schedule::parallel::Plan;

/// Replaces a parallel loop by its versions with an index and without one.
///
/// ```text
/// counts = copies cost more & the work is worth a pass over the rows
/// if counts
///   …                             # the updates of each row are counted
///   gathers = all have a row & updates <= 4294967295 & n <= 4294967295
/// if gathers
///   …                             # sorted and gathered
/// else
///   …                             # with copies, or in order
/// ```
pub(in crate::schedule) fn versions(
    program: &mut crate::ir::Program,
    stmt: &mut Stmt,
    plan: &Plan,
    inverse: &Inverse,
    decisions: &mut Decisions,
) {
    let mut copies = clone_stmts(program, std::slice::from_ref(stmt));
    copies.iter_mut().for_each(|copy| cut(program, copy, plan.clone(), decisions));
    let mut build = Builder { origin: stmt.origin, program };
    let StmtKind::For(each) = stmt.take().kind else { return };
    let whole = each.clone();
    let pays = inverse.pays(build.program, &whole, plan);
    let [counts, gathers] =
        ["counts", "gathers"].map(|name| build.program.add_scalar(name, Ty::Bool, Role::Local));
    let index = Index::new(&mut build, &inverse.sites[0], &whole, counts);
    let rows = index.if_counted(&build, inverse.sites[0].rows(build.program));
    let mut count = index.count(&mut build);
    let gathered = gather(&mut build, each, plan, inverse, &index, decisions);
    explain(&build, &index, &count, decisions);
    count.push(build.set(gathers, index.fits(&build)));
    let when = |scalar, then: Block, els: Block| StmtKind::If { cond: build.load(scalar), then, els };
    let body = vec![
        build.stmt(when(counts, count, Block::new())),
        build.stmt(when(gathers, vec![gathered], copies)),
    ];
    let body = vec![
        build.set(counts, pays),
        build.set(gathers, build.load(counts)),
        build.set(index.rows, rows),
        build.scope(index.counted(), body),
    ];
    *stmt = build.scope(vec![counts, gathers, index.rows, index.total], body);
}

/// What a term of a site is made of: what is stored, and the term where it is gathered.
struct Moved {
    by_update: Vec<(BufferId, Expr)>,
    by_iteration: Vec<(BufferId, Expr)>,
    value: Expr,
}

/// Sorts the updates, stores what their terms are made of, and adds them up by rows.
fn gather(
    build: &mut Builder<'_>,
    mut each: For,
    plan: &Plan,
    inverse: &Inverse,
    index: &Index<'_>,
    decisions: &mut Decisions,
) -> Stmt {
    let whole = index.each;
    let (row, update) = (build.index("row"), build.index("update"));
    let at = |column| {
        let place = Place::new(index.order, vec![Expr::iter(update, Ty::USIZE), Expr::usize(column)]);
        place.load(NARROW).cast(Ty::USIZE)
    };
    let iteration = build.size("iteration");
    let mut found = vec![build.set(iteration, at(0))];
    let mut found_in = vec![iteration];
    let number = match index.first {
        None => iteration,
        Some(_) => {
            let number = build.size("number");
            found.push(build.set(number, at(1)));
            found_in.push(number);
            number
        }
    };
    let mut stored = Vec::new();
    for site in &inverse.sites {
        let element = site.row.as_ref().map(|_| build.index("f"));
        let there = There {
            iteration: build.load(iteration),
            row: Expr::iter(row, Ty::USIZE),
            element: element.map_or(Expr::usize(0), |element| Expr::iter(element, Ty::USIZE)),
        };
        let moved = moved(build, whole, site, index, &there, &build.load(number));
        let scheme = Scheme::InverseIndex;
        let target = site.element(&there.row, &there.element);
        let add = StmtKind::Reduce { op: ReduceOp::Add, target, value: moved.value.clone(), scheme };
        let add = build.stmt(add);
        found.push(match (&site.row, element) {
            (Some(Row { range, .. }), Some(element)) => {
                let (lo, hi) = (range.lo.clone(), range.hi.clone());
                build.stmt(StmtKind::For(For { lo, ..For::counted(element, hi, vec![add]) }))
            }
            _ => add,
        });
        stored.extend(moved.by_update.iter().chain(&moved.by_iteration).map(|(tape, _)| *tape));
        store(build, &mut each.body, site, index, &moved);
    }
    let sorting = index.sort(build);
    if let Some(each) = sorting.as_for() {
        let why = format!("sorts the updates by the rows of `{}`", build.program[index.site.target].name);
        decisions.loops.insert(each.iter, why);
    }

    let gathers = |target: BufferId| inverse.gathers(target);
    let mut first = plan.clone();
    first.sums.retain(|sum| !gathers(sum.buffer));
    first.owned.extend(stored.iter().map(|&tape| (tape, Proof::Sets)));
    first.iteration = cost::iteration(build.program, &each);
    let mut main = build.stmt(StmtKind::For(each));
    cut_always(build.program, &mut main, &first, decisions);

    let range = |at: Expr| index.start_at(at).1;
    let (lo, hi) = (range(Expr::iter(row, Ty::USIZE)), range(Expr::iter(row, Ty::USIZE) + Expr::usize(1)));
    let terms = build.scope(found_in, found);
    let terms = build.stmt(StmtKind::For(For { lo, ..For::counted(update, hi, vec![terms]) }));
    let rows = For::counted(row, build.load(index.rows), vec![terms]);
    let mut second = plan.clone();
    second.sums.clear();
    second.owned = inverse.sites.iter().map(|site| (site.target, Proof::Sets)).collect();
    second.rayon = None;
    second.iteration = cost::iteration(build.program, &rows);
    let mut rows = build.stmt(StmtKind::For(rows));
    cut_always(build.program, &mut rows, &second, decisions);

    let inner = [index.order].into_iter().chain(stored).collect();
    build.scope(inner, vec![sorting, main, rows])
}

/// Makes room for what the terms of a site are made of.
fn moved(
    build: &mut Builder<'_>,
    each: &For,
    site: &Site,
    index: &Index<'_>,
    there: &There,
    number: &Expr,
) -> Moved {
    let name = build.program[site.target].name.clone();
    let (mut by_update, mut by_iteration) = (Vec::new(), Vec::new());
    let mut made: Vec<Buffer> = Vec::new();
    let next = build.program.buffers.len() as u32;
    let updates = match index.first {
        None => each.hi.clone(),
        Some(_) => build.load(index.total),
    };
    let value = Split::new(build.program, each, site).term(there, &mut |given, part| {
        let (dims, at, list) = match given {
            Given::ByUpdate => (vec![updates.clone()], vec![number.clone()], &mut by_update),
            Given::ByIteration => {
                let extent = site.row.as_ref().map_or(Expr::usize(1), |row| row.range.hi.clone());
                (
                    vec![each.hi.clone(), extent],
                    vec![there.iteration.clone(), there.element.clone()],
                    &mut by_iteration,
                )
            }
        };
        let tape = list.iter().find(|(_, known)| known == part).map(|(tape, _)| *tape).unwrap_or_else(|| {
            let tape = BufferId(next + made.len() as u32);
            made.push(Buffer::new(&format!("{name}_given"), part.ty, dims, Role::Tape));
            list.push((tape, part.clone()));
            tape
        });
        Place::new(tape, at).load(part.ty)
    });
    let value = value.unwrap_or_else(|| Expr::float(build.program[site.target].elem, 0.0));
    for buffer in made {
        build.program.add_buffer(buffer);
    }
    Moved { by_update, by_iteration, value }
}

/// Stores what the terms of a site are made of, where the loop added them.
fn store(build: &mut Builder<'_>, block: &mut Block, site: &Site, index: &Index<'_>, moved: &Moved) {
    let row = site.row.as_ref().map(|row| &row.range);
    for mut stmt in std::mem::take(block) {
        match &stmt.kind {
            StmtKind::Reduce { target, .. } if target.buffer == site.target => {
                if row.is_none() {
                    block.extend(by_update(build, site, index, moved));
                }
                continue;
            }
            StmtKind::For(each) if row.is_some_and(|row| row.iter == each.iter) => {
                if site.updates.is_none() {
                    block.extend(by_iteration(build, site, index, moved, None));
                }
                let given = by_update(build, site, index, moved);
                block.extend(when(build, row.and_then(Range::runs), given));
            }
            StmtKind::For(each) if site.updates.as_ref().is_some_and(|updates| updates.iter == each.iter) => {
                let runs = Range { iter: each.iter, lo: each.lo.clone(), hi: each.hi.clone() }.runs();
                block.extend(by_iteration(build, site, index, moved, runs));
            }
            _ => {}
        }
        stmt.blocks_mut().into_iter().for_each(|inner| store(build, inner, site, index, moved));
        if !is_idle(&stmt) {
            block.push(stmt);
        }
    }
}

fn by_update(build: &Builder<'_>, site: &Site, index: &Index<'_>, moved: &Moved) -> Block {
    let all = moved.by_update.iter();
    all.map(|(tape, value)| build.assign(Place::new(*tape, vec![index.number(site)]), value.clone()))
        .collect()
}

fn by_iteration(
    build: &mut Builder<'_>,
    site: &Site,
    index: &Index<'_>,
    moved: &Moved,
    runs: Option<Expr>,
) -> Block {
    let Some(Row { range, .. }) = &site.row else { return Block::new() };
    let mut all = Block::new();
    for (tape, value) in &moved.by_iteration {
        let element = build.index("f");
        let at = Expr::iter(element, Ty::USIZE);
        let place = Place::new(*tape, vec![Expr::iter(index.each.iter, Ty::USIZE), at.clone()]);
        let body = vec![build.assign(place, value.at(range.iter, &at))];
        let (lo, hi) = (range.lo.clone(), range.hi.clone());
        all.push(build.stmt(StmtKind::For(For { lo, ..For::counted(element, hi, body) })));
    }
    when(build, runs, all)
}

/// The statements under a condition, if there is one.
fn when(build: &Builder<'_>, cond: Option<Expr>, then: Block) -> Block {
    match cond {
        Some(cond) if !then.is_empty() => vec![build.when(cond, then)],
        _ => then,
    }
}

/// Whether a loop changes nothing but what it declares itself.
fn is_idle(stmt: &Stmt) -> bool {
    let Some(each) = stmt.as_for() else { return false };
    let own = declared(&each.body);
    stmt.all(&mut |stmt| match stmt.as_store() {
        Some((target, value)) => {
            own.contains(target.buffer) && (value.is_total() || stmt.as_update().is_some())
        }
        None => stmt.as_for().is_some() || stmt.as_if().is_some() || stmt.as_scope().is_some(),
    })
}

/// Why the index is there, in words.
fn explain(build: &Builder<'_>, index: &Index<'_>, count: &Block, decisions: &mut Decisions) {
    let name = &build.program[index.site.target].name;
    for stmt in count {
        if let Some(each) = stmt.as_for() {
            let why = format!("counts the updates of the rows of `{name}`, copies of which would cost more");
            decisions.loops.insert(each.iter, why);
        }
    }
}
