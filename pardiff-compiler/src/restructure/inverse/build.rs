//! The loop that stores what terms are made of, the index of its updates, and the loop that gathers.

use super::Inverse;
use super::sites::{Range, Row, Site, replaced};
use super::split::{Given, Split, There};
use crate::ir::{
    BinOp, Block, Buffer, BufferId, Expr, ExprKind, For, Int, IterId, Message, Place, ReduceOp, Role, Scheme,
    Stmt, StmtKind, Ty, duplicate,
};
use crate::poly::Proof;
use crate::restructure::Decisions;
use crate::restructure::chunks::{Builder, cut, cut_always};
use crate::restructure::cost;
use crate::restructure::parallel::{Plan, declared};

/// The type of the numbers of updates and iterations.
const NARROW: Ty = Ty::Int(Int::U32);

/// Replaces a parallel loop by its versions with an index and without one.
///
/// ```text
/// counts = copies cost more & the work is worth a pass over the rows
/// if counts
///   …                             # the updates of each row are counted
///   gathers = updates <= 4294967295 & n <= 4294967295
/// if gathers
///   …                             # sorted and gathered
/// else
///   …                             # with copies, or in order
/// ```
pub(in crate::restructure) fn versions(
    program: &mut crate::ir::Program,
    stmt: &mut Stmt,
    plan: &Plan,
    inverse: &Inverse,
    decisions: &mut Decisions,
) {
    let mut copies = duplicate(program, std::slice::from_ref(stmt));
    copies.iter_mut().for_each(|copy| cut(program, copy, plan.clone(), decisions));
    let mut build = Builder { origin: stmt.origin, program };
    let StmtKind::For(each) = std::mem::replace(&mut stmt.kind, StmtKind::Fork { tasks: Vec::new() }) else {
        return;
    };
    let whole = each.clone();
    let pays = inverse.pays(build.program, &whole, plan);
    let [counts, gathers] =
        ["counts", "gathers"].map(|name| build.program.add_scalar(name, Ty::Bool, Role::Local));
    let index = Index::new(&mut build, &inverse.sites[0], &whole, counts);
    let rows = index.if_counted(&build, inverse.sites[0].rows(build.program));
    let mut count = index.count(&mut build);
    let gathered = gather(&mut build, each, plan, inverse, &index, decisions);
    explain(&build, &index, &count, decisions);
    count.push(build.assign(Place::scalar(gathers), index.fits(&build)));
    let when = |scalar, then: Block, els: Block| StmtKind::If { cond: build.load(scalar), then, els };
    let body = vec![
        build.stmt(when(counts, count, Block::new())),
        build.stmt(when(gathers, vec![gathered], copies)),
    ];
    let body = vec![
        build.assign(Place::scalar(counts), pays),
        build.assign(Place::scalar(gathers), build.load(counts)),
        build.assign(Place::scalar(index.rows), rows),
        build.scope(index.counted(), body),
    ];
    *stmt = build.scope(vec![counts, gathers, index.rows, index.total], body);
}

/// The arrays of an index.
struct Index<'a> {
    site: &'a Site,
    each: &'a For,
    /// The number of rows.
    rows: BufferId,
    /// The number of updates before the one that is looked at, and in the end of all.
    total: BufferId,
    /// Of an iteration: the number of updates before it. None where each makes one.
    first: Option<BufferId>,
    /// Where the updates of a row begin; and behind the last row, where they end.
    start: BufferId,
    /// By row, of each update: its iteration and, where iterations make several, its number. Numbers of half the width of
    /// an address, side by side: what sorting costs is memory.
    order: BufferId,
    /// Whether there is an index.
    counts: BufferId,
}

impl<'a> Index<'a> {
    fn new(build: &mut Builder<'_>, site: &'a Site, each: &'a For, counts: BufferId) -> Index<'a> {
        let name = build.program[site.target].name.clone();
        let (rows, total) = (build.size(&format!("{name}_rows")), build.size(&format!("{name}_updates")));
        let array = |build: &mut Builder<'_>, what: &str, elem: Ty, dims: Vec<Expr>| {
            build.program.add_buffer(Buffer::new(&format!("{name}_{what}"), elem, dims, Role::Local))
        };
        let of_iterations = Expr::select(build.load(counts), each.hi.clone(), Expr::usize(0));
        let first = site.updates.as_ref().map(|_| array(build, "first", Ty::USIZE, vec![of_iterations]));
        let ends = build.load(rows) + Expr::usize(2);
        let start = array(build, "start", Ty::USIZE, vec![ends]);
        let columns = if first.is_some() { 2 } else { 1 };
        let dims = vec![build.load(total), Expr::usize(columns)];
        let order = array(build, "order", NARROW, dims);
        Index { site, each, rows, total, first, start, order, counts }
    }

    /// A size where there is an index, and none where there is not.
    fn if_counted(&self, build: &Builder<'_>, size: Expr) -> Expr {
        Expr::select(build.load(self.counts), size, Expr::usize(0))
    }

    /// Whether all numbers of updates and iterations fit.
    fn fits(&self, build: &Builder<'_>) -> Expr {
        let fits = |size: Expr| size.at_most(Expr::int(Ty::USIZE, u32::MAX.into()));
        fits(build.load(self.total)) & fits(self.each.hi.clone())
    }

    /// What is declared before the updates are counted.
    fn counted(&self) -> Vec<BufferId> {
        self.first.into_iter().chain([self.start]).collect()
    }

    /// The checks of the loads of an expression, as the source has them: the index runs before the loop does.
    fn checks(&self, build: &Builder<'_>, expr: &Expr, checks: &mut Block) {
        for operand in operands(expr) {
            self.checks(build, operand, checks);
        }
        let ExprKind::Load(place) = &expr.kind else { return };
        for (index, len) in place.index.iter().zip(&build.program[place.buffer].dims) {
            let array = build.program[place.buffer].name.clone();
            let access = access(&self.each.body, &array).unwrap_or_else(|| format!("{array}[_]"));
            let (index, len) = (index.clone(), len.clone());
            let cond = index.clone().below(len.clone());
            let message = Message::Bounds { array, access, index, len };
            checks.push(build.stmt(StmtKind::Check { cond, message }));
        }
    }

    /// Runs through the updates in the order of the loop; `before` and `update` get the iterator's value, the latter the
    /// row and the number of the update in its iteration as well.
    fn updates(
        &self,
        build: &mut Builder<'_>,
        checked: bool,
        before: &mut dyn FnMut(&Builder<'_>, &Expr) -> Block,
        update: &mut dyn FnMut(&mut Builder<'_>, &Expr, Expr, Expr) -> Block,
    ) -> Stmt {
        let name = build.program[self.each.iter].name.clone();
        let iter = build.index(&name);
        let at = Expr::iter(iter, Ty::USIZE);
        let of_iteration = |expr: &Expr| replaced(expr, self.each.iter, &at);
        let mut body = Block::new();
        if checked && let Some(range) = &self.site.updates {
            self.checks(build, &of_iteration(&range.lo), &mut body);
            self.checks(build, &of_iteration(&range.hi), &mut body);
        }
        body.append(&mut before(build, &at));
        let key = of_iteration(&self.site.key);
        match &self.site.updates {
            None => {
                if checked {
                    self.checks(build, &key, &mut body);
                }
                let guarded = update(build, &at, key.clone(), Expr::usize(0));
                body.push(self.if_exists(build, key, guarded));
            }
            Some(range) => {
                let name = build.program[range.iter].name.clone();
                let inner = build.index(&name);
                let k = Expr::iter(inner, Ty::USIZE);
                let (lo, hi) = (of_iteration(&range.lo), of_iteration(&range.hi));
                let key = replaced(&key, range.iter, &k);
                let guarded = update(build, &at, key.clone(), Expr::binary(BinOp::Sub, k, lo.clone()));
                let mut one = Block::new();
                if checked {
                    self.checks(build, &key, &mut one);
                }
                one.push(self.if_exists(build, key, guarded));
                body.push(in_order(build, inner, lo, hi, one));
            }
        }
        in_order(build, iter, self.each.lo.clone(), self.each.hi.clone(), body)
    }

    fn if_exists(&self, build: &Builder<'_>, key: Expr, then: Block) -> Stmt {
        let cond = Expr::binary(BinOp::Lt, key, build.load(self.rows));
        build.stmt(StmtKind::If { cond, then, els: Block::new() })
    }

    /// An element of `start`, and its value.
    fn start_at(&self, row: Expr) -> (Place, Expr) {
        let place = Place::new(self.start, vec![row]);
        (place.clone(), place.load(Ty::USIZE))
    }

    /// Counts the updates of each row, and those of each iteration: `start[row + 1]` is where those of the row begin.
    fn count(&self, build: &mut Builder<'_>) -> Block {
        let mut all = vec![build.assign(Place::scalar(self.total), Expr::usize(0))];
        let row = build.index("row");
        let (place, _) = self.start_at(Expr::iter(row, Ty::USIZE));
        let zero = build.assign(place, Expr::usize(0));
        let end = build.load(self.rows) + Expr::usize(2);
        all.push(in_order(build, row, Expr::usize(0), end.clone(), vec![zero]));
        let counted = self.updates(
            build,
            true,
            &mut |build, at| {
                let trips = match &self.site.updates {
                    None => Expr::usize(1),
                    Some(Range { lo, hi, iter }) => {
                        let [lo, hi] = [lo, hi].map(|bound| replaced(bound, self.each.iter, at));
                        Range { lo, hi, iter: *iter }.trips()
                    }
                };
                let total = build.load(self.total);
                let first =
                    self.first.map(|first| build.assign(Place::new(first, vec![at.clone()]), total.clone()));
                first.into_iter().chain([build.assign(Place::scalar(self.total), total + trips)]).collect()
            },
            &mut |build, _, key, _| {
                let (place, count) = self.start_at(key + Expr::usize(2));
                vec![build.assign(place, count + Expr::usize(1))]
            },
        );
        all.push(counted);
        let row = build.index("row");
        let (_, before) = self.start_at(Expr::binary(BinOp::Sub, Expr::iter(row, Ty::USIZE), Expr::usize(1)));
        let (place, own) = self.start_at(Expr::iter(row, Ty::USIZE));
        let add = build.assign(place, own + before);
        all.push(in_order(build, row, Expr::usize(1), end, vec![add]));
        all
    }

    /// Sorts the updates: then those of a row are at `start[row]..start[row + 1]`.
    fn sort(&self, build: &mut Builder<'_>) -> Stmt {
        self.updates(build, false, &mut |_, _| Block::new(), &mut |build, at, key, number| {
            let place = build.size("place");
            let (end, next) = self.start_at(key + Expr::usize(1));
            let here = |column| vec![Place::scalar(place).load(Ty::USIZE), Expr::usize(column)];
            let mut body = vec![
                build.assign(Place::scalar(place), next),
                build.assign(end, build.load(place) + Expr::usize(1)),
                build.assign(Place::new(self.order, here(0)), at.clone().cast(NARROW)),
            ];
            if let Some(first) = self.first {
                let number = Place::new(first, vec![at.clone()]).load(Ty::USIZE) + number;
                body.push(build.assign(Place::new(self.order, here(1)), number.cast(NARROW)));
            }
            vec![build.scope(vec![place], body)]
        })
    }

    /// The number of an update, where a site makes it.
    fn number(&self, site: &Site) -> Expr {
        let at = Expr::iter(self.each.iter, Ty::USIZE);
        match (self.first, &site.updates) {
            (Some(first), Some(Range { iter, lo, .. })) => {
                let k = Expr::iter(*iter, Ty::USIZE);
                Place::new(first, vec![at]).load(Ty::USIZE) + Expr::binary(BinOp::Sub, k, lo.clone())
            }
            _ => at,
        }
    }
}

fn operands(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Binary(_, lhs, rhs) => vec![lhs, rhs],
        _ => expr.operands().iter().collect(),
    }
}

/// How the source writes an access of an array.
fn access(block: &Block, of: &str) -> Option<String> {
    block.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Check { message: Message::Bounds { array, access, .. }, .. } if array == of => {
            Some(access.clone())
        }
        _ => stmt.blocks().into_iter().find_map(|inner| access(inner, of)),
    })
}

/// A loop that runs in order.
fn in_order(build: &Builder<'_>, iter: IterId, lo: Expr, hi: Expr, body: Block) -> Stmt {
    let exec = crate::ir::Exec::Sequential;
    build.stmt(StmtKind::For(For { lo, exec, ..For::counted(iter, hi, body) }))
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
    let mut found = vec![build.assign(Place::scalar(iteration), at(0))];
    let mut found_in = vec![iteration];
    let number = match index.first {
        None => iteration,
        Some(_) => {
            let number = build.size("number");
            found.push(build.assign(Place::scalar(number), at(1)));
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
    if let StmtKind::For(each) = &sorting.kind {
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
    build.program.buffers.extend(made);
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
        for inner in stmt.blocks_mut() {
            store(build, inner, site, index, moved);
        }
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
        let body = vec![build.assign(place, replaced(value, range.iter, &at))];
        let (lo, hi) = (range.lo.clone(), range.hi.clone());
        all.push(build.stmt(StmtKind::For(For { lo, ..For::counted(element, hi, body) })));
    }
    when(build, runs, all)
}

/// The statements under a condition, if there is one.
fn when(build: &Builder<'_>, cond: Option<Expr>, then: Block) -> Block {
    match cond {
        Some(cond) if !then.is_empty() => vec![build.stmt(StmtKind::If { cond, then, els: Block::new() })],
        _ => then,
    }
}

/// Whether a loop changes nothing but what it declares itself.
fn is_idle(stmt: &Stmt) -> bool {
    let StmtKind::For(each) = &stmt.kind else { return false };
    let own = declared(&each.body);
    let mut idle = true;
    stmt.walk(&mut |stmt| match &stmt.kind {
        StmtKind::Assign { target, value } => idle &= own.contains(target.buffer) && value.is_total(),
        StmtKind::Reduce { target, .. } => idle &= own.contains(target.buffer),
        StmtKind::For(_) | StmtKind::If { .. } | StmtKind::Scope { .. } => {}
        _ => idle = false,
    });
    idle
}

/// Why the index is there, in words.
fn explain(build: &Builder<'_>, index: &Index<'_>, count: &Block, decisions: &mut Decisions) {
    let name = &build.program[index.site.target].name;
    for stmt in count {
        if let StmtKind::For(each) = &stmt.kind {
            let why = format!("counts the updates of the rows of `{name}`, copies of which would cost more");
            decisions.loops.insert(each.iter, why);
        }
    }
}
