//! The index: counts the updates of each row, and sorts them by rows.

use super::sites::{Range, Site};
use crate::ir::{
    BinOp, Block, Buffer, BufferId, Exec, Expr, ExprKind, For, Int, IterId, Message, Place, Role, Stmt,
    StmtKind, Ty,
};
use crate::schedule::chunks::Builder;

/// The type of the numbers of updates and iterations.
pub(super) const NARROW: Ty = Ty::Int(Int::U32);

/// The arrays of an index.
pub(super) struct Index<'a> {
    pub(super) site: &'a Site,
    pub(super) each: &'a For,
    /// The number of rows.
    pub(super) rows: BufferId,
    /// The number of updates before the one that is looked at, and in the end of all.
    pub(super) total: BufferId,
    /// Of an iteration: the number of updates before it. None where each makes one.
    pub(super) first: Option<BufferId>,
    /// Where the updates of a row begin; and behind the last row, where they end.
    pub(super) start: BufferId,
    /// By row, of each update: its iteration and, where iterations make several, its number. Numbers of half the width of
    /// an address, side by side: what sorting costs is memory.
    pub(super) order: BufferId,
    /// Whether there is an index.
    pub(super) counts: BufferId,
}

impl<'a> Index<'a> {
    pub(super) fn new(build: &mut Builder<'_>, site: &'a Site, each: &'a For, counts: BufferId) -> Index<'a> {
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
    pub(super) fn if_counted(&self, build: &Builder<'_>, size: Expr) -> Expr {
        Expr::select(build.load(self.counts), size, Expr::usize(0))
    }

    /// Whether all numbers of updates and iterations fit, and all updates go to rows that exist.
    pub(super) fn fits(&self, build: &Builder<'_>) -> Expr {
        let fits = |size: Expr| size.at_most(Expr::int(Ty::USIZE, u32::MAX.into()));
        let (_, existing) = self.start_at(build.load(self.rows) + Expr::usize(1));
        let exist = Expr::binary(BinOp::Eq, existing, build.load(self.total));
        exist & fits(build.load(self.total)) & fits(self.each.hi.clone())
    }

    /// What is declared before the updates are counted.
    pub(super) fn counted(&self) -> Vec<BufferId> {
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
        let of_iteration = |expr: &Expr| expr.at(self.each.iter, &at);
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
                let key = key.at(range.iter, &k);
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
        build.when(cond, then)
    }

    /// An element of `start`, and its value.
    pub(super) fn start_at(&self, row: Expr) -> (Place, Expr) {
        let place = Place::new(self.start, vec![row]);
        (place.clone(), place.load(Ty::USIZE))
    }

    /// Counts the updates of each row, and those of each iteration: `start[row + 1]` is where those of the row begin.
    pub(super) fn count(&self, build: &mut Builder<'_>) -> Block {
        let mut all = vec![build.set(self.total, Expr::usize(0))];
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
                        let [lo, hi] = [lo, hi].map(|bound| bound.at(self.each.iter, at));
                        Range { lo, hi, iter: *iter }.trips()
                    }
                };
                let total = build.load(self.total);
                let first =
                    self.first.map(|first| build.assign(Place::new(first, vec![at.clone()]), total.clone()));
                first.into_iter().chain([build.set(self.total, total + trips)]).collect()
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
    pub(super) fn sort(&self, build: &mut Builder<'_>) -> Stmt {
        self.updates(build, false, &mut |_, _| Block::new(), &mut |build, at, key, number| {
            let place = build.size("place");
            let (end, next) = self.start_at(key + Expr::usize(1));
            let here = |column| vec![Place::scalar(place).load(Ty::USIZE), Expr::usize(column)];
            let mut body = vec![
                build.set(place, next),
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
    pub(super) fn number(&self, site: &Site) -> Expr {
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
    block.iter().find_map(|stmt| match stmt.as_check() {
        Some((_, Message::Bounds { array, access, .. })) if array == of => Some(access.clone()),
        _ => stmt.blocks().into_iter().find_map(|inner| access(inner, of)),
    })
}

/// A loop that runs in order.
fn in_order(build: &Builder<'_>, iter: IterId, lo: Expr, hi: Expr, body: Block) -> Stmt {
    let exec = Exec::Sequential;
    build.stmt(StmtKind::For(For { lo, exec, ..For::counted(iter, hi, body) }))
}
