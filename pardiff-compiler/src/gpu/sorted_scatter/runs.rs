//! How sorted updates are added up: the first update of each element finds the others behind it.
//!
//! ```text
//! grid: for j in 0..updates.div_ceil(64)               # by 64 updates
//!   near[j] = what the key at 64 j has up to 64 (j + 1)
//! grid: for j in 0..updates.div_ceil(4096)
//!   far[j] = what the key at 4096 j has up to 4096 (j + 1), from `near`
//! grid: for u in 0..updates
//!   if keys[u] is the first of its kind
//!     sum = terms up to the next multiple of 64, `near` up to the next of 4096, `far` from there on
//!     d_x[keys[u]] += sum
//! ```
//!
//! So an element of many updates is not the work of one thread alone. The order of the additions follows from the sorted keys.

use super::places::{NARROW, Places, over_threads};
use super::sites::Updates;
use crate::ir::{
    BinOp, Block, Buffer, BufferId, Callee, Expr, Func, IterId, Place, ReduceOp, Role, Scheme, Sort, Stmt,
    StmtKind, Ty, UnOp, While,
};
use crate::limits::UPDATES_OF_A_THREAD;
use crate::schedule::Decisions;
use crate::schedule::chunks::Builder;
use crate::schedule::summation::neutral;

/// Sorts the updates by elements, and adds up those of each.
pub(super) fn add_up(
    build: &mut Builder<'_>,
    updates: &Updates,
    places: &Places,
    decisions: &mut Decisions,
) -> Vec<Stmt> {
    let len = build.load(places.updates);
    let sort = Sort { len, greatest: places.rows.clone() };
    let (reads, writes) = (vec![places.keys], vec![places.keys, places.order]);
    let sort = build.stmt(StmtKind::Call { callee: Callee::Sort(Box::new(sort)), reads, writes });
    let [near, far] = [("near", UPDATES_OF_A_THREAD), ("far", UPDATES_OF_A_THREAD * UPDATES_OF_A_THREAD)]
        .map(|(what, by)| {
            let Buffer { name, elem, .. } = build.program[updates.target].clone();
            let dims = [build.program[places.terms].dims[0].clone()];
            let dims = dims.map(|room| quotient(room, by)).into_iter().chain(updates.row.clone()).collect();
            build.program.add_buffer(Buffer::new(&format!("{name}_{what}"), elem, dims, Role::Local))
        });
    let mut runs = Runs { build, updates, places, near, far, decisions };
    let body = vec![sort, runs.part(1), runs.part(UPDATES_OF_A_THREAD), runs.elements()];
    vec![build.scope(vec![near, far], body)]
}

/// `a.div_ceil(by)`
fn quotient(a: Expr, by: usize) -> Expr {
    Expr::call(Ty::USIZE, Func::DivCeil, vec![a, Expr::usize(by)])
}

struct Runs<'a, 'p> {
    build: &'a mut Builder<'p>,
    updates: &'a Updates,
    places: &'a Places,
    /// Sums of what a key has from each multiple of [`UPDATES_OF_A_THREAD`] on, and from each multiple of its square.
    near: BufferId,
    far: BufferId,
    decisions: &'a mut Decisions,
}

/// What a thread has.
struct Run {
    /// The update that comes next.
    at: BufferId,
    key: BufferId,
    sum: BufferId,
    /// Whether it begins, or goes on.
    goes: BufferId,
    /// The element of a row.
    f: Option<IterId>,
}

impl Runs<'_, '_> {
    fn begin(&mut self) -> Run {
        let elem = self.build.program[self.updates.target].elem;
        let [at, key] = ["at", "key"].map(|name| self.build.size(name));
        let sum = self.build.program.add_scalar("sum", elem, Role::Local);
        let f = self.updates.row.as_ref().map(|_| self.build.index("f"));
        let goes = self.build.program.add_scalar("goes", Ty::Bool, Role::Local);
        Run { at, key, sum, goes, f }
    }

    /// The key of an update.
    fn key(&self, at: Expr) -> Expr {
        Place::new(self.places.keys, vec![at]).load(NARROW).cast(Ty::USIZE)
    }

    /// An update, or the sum of many from it on.
    fn term(&self, run: &Run, of: usize) -> Expr {
        let at = self.build.load(run.at);
        let (array, at) = match of {
            1 => {
                let from = Place::new(self.places.order, vec![at]).load(NARROW).cast(Ty::USIZE);
                (self.places.terms, from)
            }
            UPDATES_OF_A_THREAD => {
                (self.near, Expr::binary(BinOp::Div, at, Expr::usize(UPDATES_OF_A_THREAD)))
            }
            _ => (self.far, Expr::binary(BinOp::Div, at, Expr::usize(of))),
        };
        self.element(array, at, run.f).load(self.build.program[array].elem)
    }

    fn element(&self, array: BufferId, at: Expr, f: Option<IterId>) -> Place {
        let f = f.map(|f| Expr::iter(f, Ty::USIZE));
        Place::new(array, [at].into_iter().chain(f).collect())
    }

    /// Begins a sum with so many updates, where the key has at least one.
    fn first(&self, run: &Run, of: usize) -> [Stmt; 3] {
        let elem = self.build.program[run.sum].elem;
        let start = neutral(ReduceOp::Add, elem).unwrap_or_else(|| Expr::float(elem, 0.0));
        let [add, go_on] = self.add(run, of);
        [self.build.set(run.sum, start), add, go_on]
    }

    fn add(&self, run: &Run, of: usize) -> [Stmt; 2] {
        let (target, value) = (Place::scalar(run.sum), self.term(run, of));
        let add = StmtKind::Reduce { op: ReduceOp::Add, target, value, scheme: Scheme::Sequential };
        let next = self.build.load(run.at) + Expr::usize(of);
        [self.build.stmt(add), self.build.set(run.at, next)]
    }

    /// Goes on as long as the key is the same, up to a multiple of `until`.
    fn others(&mut self, run: &Run, of: usize, until: Option<usize>) -> Stmt {
        let counter = self.build.index("run");
        let at = self.build.load(run.at);
        let mut same = Expr::binary(BinOp::Eq, self.key(at.clone()), self.build.load(run.key));
        if let Some(until) = until {
            let rest = Expr::binary(BinOp::Rem, at.clone(), Expr::usize(until));
            same = same & Expr::binary(BinOp::Ne, rest, Expr::usize(0));
        }
        let there = Expr::binary(BinOp::Lt, at, self.build.load(self.places.updates));
        let head = self.only_if(run, there, same);
        let (cond, body) = (self.build.load(run.goes), self.add(run, of).into());
        self.decisions.loops.insert(counter, "as long as the key is the same".to_owned());
        self.build.stmt(StmtKind::While(While { counter, head, cond, body, checkpoint: None }))
    }

    /// `goes = cond & other`, where the other one is looked at only if the first one holds.
    fn only_if(&self, run: &Run, cond: Expr, other: Expr) -> Block {
        let goes = Place::scalar(run.goes);
        let then = vec![self.build.assign(goes.clone(), other)];
        vec![self.build.assign(goes, cond), self.build.when(self.build.load(run.goes), then)]
    }

    /// That the key is that of an element.
    fn exists(&self, run: &Run) -> Expr {
        Expr::binary(BinOp::Lt, self.build.load(run.key), self.places.rows.clone())
    }

    /// The kernel over `threads`, and the elements of a row.
    fn kernel(&mut self, iter: IterId, threads: Expr, run: &Run, body: Block, why: String) -> Stmt {
        let mut body = self.build.scope(vec![run.at, run.key, run.sum, run.goes], body);
        if let (Some(f), Some(row)) = (run.f, &self.updates.row) {
            body = over_threads(self.build, f, Expr::usize(0), row.clone(), vec![body]);
        }
        self.decisions.loops.insert(iter, why);
        over_threads(self.build, iter, Expr::usize(0), threads, vec![body])
    }

    /// The sums of updates, or of such sums, that one key has from a multiple of a number on.
    fn part(&mut self, of: usize) -> Stmt {
        let (by, array) = (of * UPDATES_OF_A_THREAD, if of == 1 { self.near } else { self.far });
        let (run, part) = (self.begin(), self.build.index("part"));
        let number = Expr::iter(part, Ty::USIZE);
        let start = number.clone() * Expr::usize(by);
        let mut body = vec![self.build.set(run.at, start.clone()), self.build.set(run.key, self.key(start))];
        let mut then: Block = self.first(&run, of).into();
        then.push(self.others(&run, of, Some(by)));
        let whole = self.element(array, number, run.f);
        then.push(self.build.assign(whole, self.build.load(run.sum)));
        body.push(self.build.when(self.exists(&run), then));
        let name = &self.build.program[self.updates.target].name;
        let why = format!("parallel: parts of long sums into `{name}`");
        let threads = quotient(self.build.load(self.places.updates), by);
        self.kernel(part, threads, &run, body, why)
    }

    /// The sums of all updates of each element.
    fn elements(&mut self) -> Stmt {
        let (run, update) = (self.begin(), self.build.index("update"));
        let at = Expr::iter(update, Ty::USIZE);
        let before = Expr::binary(BinOp::Sub, at.clone(), Expr::usize(1));
        let differs = Expr::binary(BinOp::Ne, self.key(before), self.key(at.clone()));
        let goes = Place::scalar(run.goes);
        let behind = vec![self.build.assign(goes.clone(), differs)];
        let is_first = Expr::binary(BinOp::Eq, at.clone(), Expr::usize(0));
        let key = self.build.load(run.key);

        let mut then = vec![self.build.set(run.at, at.clone())];
        then.extend(self.first(&run, 1));
        then.push(self.others(&run, 1, Some(UPDATES_OF_A_THREAD)));
        then.push(self.others(&run, UPDATES_OF_A_THREAD, Some(UPDATES_OF_A_THREAD * UPDATES_OF_A_THREAD)));
        then.push(self.others(&run, UPDATES_OF_A_THREAD * UPDATES_OF_A_THREAD, None));
        let (target, value) = (self.target(&key, run.f), self.build.load(run.sum));
        let scheme = Scheme::InverseIndex;
        then.push(self.build.stmt(StmtKind::Reduce { op: ReduceOp::Add, target, value, scheme }));
        let body = vec![
            self.build.set(run.key, self.key(at)),
            self.build.assign(goes, Expr::bool(true)),
            self.build.when(Expr::unary(UnOp::Not, is_first), behind),
            self.build.when(self.build.load(run.goes) & self.exists(&run), then),
        ];
        let name = &self.build.program[self.updates.target].name;
        let what = if run.f.is_some() { "a row" } else { "an element" };
        let why = format!("parallel: the updates of {what} of `{name}`, in order, by the first of them");
        let threads = self.build.load(self.places.updates);
        self.kernel(update, threads, &run, body, why)
    }

    /// The element of that number, or one of the row of that number.
    fn target(&self, key: &Expr, f: Option<IterId>) -> Place {
        let target = self.updates.target;
        let form = self.updates.sites.first().and_then(|site| site.row.as_ref());
        if let (Some((_, _, row)), Some(f)) = (form, f) {
            return Place::new(target, row.element(key, &Expr::iter(f, Ty::USIZE)));
        }
        let mut rest = key.clone();
        let mut index = Vec::new();
        for dim in (1..self.build.program[target].rank()).rev() {
            let extent = Expr::extent(target, dim);
            index.push(Expr::binary(BinOp::Rem, rest.clone(), extent.clone()));
            rest = Expr::binary(BinOp::Div, rest, extent);
        }
        index.push(rest);
        index.reverse();
        Place::new(target, index)
    }
}
