//! What a nest assigns of an array by runs of consecutive elements, and what stands between the runs.
//!
//! ```text
//! for y in 1..n - 1                        reached = 0
//!   for x in 1..m - 1                      for y in 1..n - 1
//!     next[y * m + x] = e(y, x)      =>      for e in reached..y * m + 1    # in front of the run
//!                                              …
//!                                            reached = max(reached, y * m + 1 + (m - 2))
//!                                          for e in reached..len
//!                                            …
//! ```
//!
//! A nest may assign several planes, each by runs of its own, and all members of records, which then are the elements.
//!
//! *Legality.* Whatever the runs are, and in whichever order they come, an element is passed over only if it is in one of
//! them. Fewest elements are gone through where runs come in the order of the array: loops of a constant number of
//! iterations, over planes, go around the others where they move farther, which is compared when the program runs.

use crate::ir::{
    BinOp, BufferId, BufferSet, Exec, Expr, ExprKind, For, Func, IterId, Origin, Place, Program, Role, Stmt,
    StmtKind, Ty, slope, substitute, written,
};

/// The runs that a nest assigns.
pub(super) struct Runs {
    /// The loops around a run, outermost first, and the one along it.
    loops: Vec<Range>,
    /// The element that an iteration assigns in each plane, in arithmetic that wraps.
    elements: Vec<Expr>,
    /// The number of elements, and of members of each.
    len: Expr,
    members: Option<Expr>,
}

/// A loop from one number to another.
#[derive(Clone)]
struct Range {
    iter: IterId,
    lo: Expr,
    hi: Expr,
}

impl Runs {
    /// The runs of a nest that does nothing else to the array, at consecutive positions in the innermost loop.
    pub(super) fn of(program: &Program, nest: &Stmt, array: BufferId) -> Option<Runs> {
        let changed = written(std::slice::from_ref(nest));
        let members = match &program[array].dims[..] {
            [_] => None,
            [_, members] => Some(members.clone()),
            _ => return None,
        };
        let of_members = |each: &For| members.as_ref().is_some_and(|members| is_over(each, members));
        let mut loops = Vec::new();
        let mut block = std::slice::from_ref(nest);
        while let [Stmt { kind: StmtKind::For(each), .. }] = block {
            let plain = each.is_plain();
            let fixed = |bound: &Expr| !bound.reads_any(program, &changed);
            if of_members(each) {
                break;
            }
            if !plain || !fixed(&each.lo) || !fixed(&each.hi) {
                return None;
            }
            loops.push(Range { iter: each.iter, lo: each.lo.clone(), hi: each.hi.clone() });
            block = &each.body;
        }
        let mut assigned = Assigned { array, members: members.as_ref(), over: Vec::new(), found: Vec::new() };
        assigned.block(block);
        let mut declared = BufferSet::new();
        let (mut places, mut others) = (0, false);
        crate::ir::walk(block, &mut |stmt| {
            stmt.declares().iter().for_each(|&it| _ = declared.insert(it));
            places += usize::from(stmt.as_assign().is_some_and(|(target, _)| target.buffer == array));
            others |= stmt.as_update().is_some_and(|update| update.target.buffer == array);
            others |= stmt.evaluates(program).into_iter().any(|expr| expr.loads(array));
        });
        let innermost = loops.last()?.iter;
        let element = |index: &Expr| {
            let known = !index.reads_any(program, &changed) && !index.reads_any(program, &declared);
            let position = wrapping(index).filter(|_| slope(index, innermost) == Some(1));
            position.filter(|_| known)
        };
        let elements = assigned.whole()?.iter().map(|index| element(index)).collect::<Option<_>>()?;
        let right = !others && places == assigned.found.len();
        let len = program[array].dims[0].clone();
        right.then_some(Runs { loops, elements, len, members })
    }

    /// Executes a statement for each element, and for each of its members, between the runs.
    pub(super) fn between(
        &self,
        program: &mut Program,
        same: &dyn Fn(&[Expr]) -> Stmt,
        origin: Origin,
    ) -> Option<Stmt> {
        let reached = program.add_scalar("reached", Ty::USIZE, Role::Local);
        let mut build = Between { runs: self, program, reached, same, origin };
        let mut body = vec![Stmt::set(reached, Expr::usize(0), origin)];
        let by_plane = self.planes_outside();
        for element in &self.elements {
            let in_order = build.nest(element, &self.loops)?;
            body.push(match &by_plane {
                Some(loops) => {
                    let planes = build.nest(element, loops)?;
                    let cond = self.moves_farther(element, loops)?;
                    Stmt::new(StmtKind::If { cond, then: vec![planes], els: vec![in_order] }, origin)
                }
                None => in_order,
            });
        }
        let load = build.program.load_scalar(reached);
        body.push(build.elements(load, self.len.clone()));
        Some(Stmt::scope(vec![reached], body, origin))
    }

    /// The loops with those of a constant number of iterations around the others, if that is another order.
    fn planes_outside(&self) -> Option<Vec<Range>> {
        let (along, around) = self.loops.split_last()?;
        let constant =
            |range: &Range| matches!((&range.lo.kind, &range.hi.kind), (ExprKind::Int(_), ExprKind::Int(_)));
        let bounds = || self.loops.iter().flat_map(|range| [&range.lo, &range.hi]);
        let independent = !around.iter().any(|range| bounds().any(|bound| bound.mentions(range.iter)));
        let (planes, others): (Vec<Range>, Vec<Range>) = around.iter().cloned().partition(constant);
        let moves = around.iter().skip(planes.len()).any(constant);
        (independent && moves).then(|| planes.into_iter().chain(others).chain([along.clone()]).collect())
    }

    /// Whether the first element of a run moves farther with the outermost of these loops than with the outermost one of
    /// the nest.
    fn moves_farther(&self, element: &Expr, loops: &[Range]) -> Option<Expr> {
        let at_first = |but: Option<IterId>| {
            self.loops.iter().fold(element.clone(), |element, range| match but {
                Some(iter) if iter == range.iter => element.at(iter, &(range.lo.clone() + Expr::usize(1))),
                _ => element.at(range.iter, &range.lo),
            })
        };
        let [plane, row] = [&loops[0], &self.loops[0]].map(|range| wrapping(&at_first(Some(range.iter))));
        Some(row?.below(plane?))
    }
}

/// What a block assigns of the array in every iteration.
struct Assigned<'a> {
    array: BufferId,
    members: Option<&'a Expr>,
    /// The loops over all members around.
    over: Vec<IterId>,
    found: Vec<&'a Place>,
}

impl<'a> Assigned<'a> {
    /// Under no condition, and in no loop but over all members.
    fn block(&mut self, block: &'a [Stmt]) {
        for stmt in block {
            if let Some((_, body)) = stmt.as_scope() {
                self.block(body);
            } else if let Some((target, _)) = stmt.as_assign() {
                self.found.extend((target.buffer == self.array).then_some(target));
            } else if let Some(each) = stmt.as_for()
                && self.members.is_some_and(|members| is_over(each, members))
            {
                self.over.push(each.iter);
                self.block(&each.body);
            }
        }
    }

    /// The elements that are assigned, if all members of each are.
    fn whole(&self) -> Option<Vec<&'a Expr>> {
        let mut elements: Vec<(&Expr, Vec<&Expr>)> = Vec::new();
        for place in &self.found {
            match elements.iter_mut().find(|(element, _)| **element == place.index[0]) {
                Some((_, members)) => members.extend(&place.index[1..]),
                None => elements.push((&place.index[0], place.index[1..].iter().collect())),
            }
        }
        let all = |(element, members): (&'a Expr, Vec<&Expr>)| {
            let Some(count) = self.members else { return Some(element) };
            let over =
                |member: &Expr| matches!(member.kind, ExprKind::Iter(iter) if self.over.contains(&iter));
            let ExprKind::Int(count) = count.kind else {
                return members.iter().any(|it| over(it)).then_some(element);
            };
            let has = |number: i128| members.iter().any(|it| it.kind == ExprKind::Int(number));
            (members.iter().any(|it| over(it)) || (0..count).all(has)).then_some(element)
        };
        let whole: Option<Vec<&Expr>> = elements.into_iter().map(all).collect();
        whole.filter(|elements| !elements.is_empty())
    }
}

/// Whether a loop goes through all members of a record.
fn is_over(each: &For, members: &Expr) -> bool {
    let up = each.is_by_one() && each.lo == Expr::usize(0);
    up && each.hi == *members
}

/// The statements that go through what is between runs.
struct Between<'a> {
    runs: &'a Runs,
    program: &'a mut Program,
    reached: BufferId,
    same: &'a dyn Fn(&[Expr]) -> Stmt,
    origin: Origin,
}

impl Between<'_> {
    /// What is in front of the runs of one plane, by loops in this order.
    fn nest(&mut self, element: &Expr, loops: &[Range]) -> Option<Stmt> {
        let len = &self.runs.len;
        let least = |a: Expr, b: Expr| Expr::call(Ty::USIZE, Func::IntMin, vec![a, b]);
        let (Range { iter, lo, hi }, around) = loops.split_last()?;
        let first = wrapping(&element.at(*iter, lo))?;
        let end = Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![first.clone(), hi.clone() - lo.clone()]);
        let load = self.program.load_scalar(self.reached);
        let gap = self.elements(load.clone(), least(first, len.clone()));
        let farther = Expr::call(Ty::USIZE, Func::IntMax, vec![load, least(end, len.clone())]);
        let then = vec![in_order(gap), Stmt::set(self.reached, farther, self.origin)];
        let cond = Expr::binary(BinOp::Lt, lo.clone(), hi.clone());
        let mut stmt = Stmt::when(cond, then, self.origin);
        for Range { iter, lo, hi } in around.iter().rev() {
            let own = self.program.add_iter(&self.program[*iter].name.clone(), Ty::USIZE);
            substitute(std::slice::from_mut(&mut stmt), *iter, &Expr::iter(own, Ty::USIZE));
            // a bound that has wrapped
            let most = Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![lo.clone(), len.clone()]);
            let hi = least(hi.clone(), most);
            let each = For { lo: lo.clone(), ..For::counted(own, hi, vec![stmt]) };
            stmt = in_order(self.stmt(StmtKind::For(each)));
        }
        Some(stmt)
    }

    /// A loop over some elements, and their members.
    fn elements(&mut self, lo: Expr, hi: Expr) -> Stmt {
        let iter = self.program.add_iter("e", Ty::USIZE);
        let at = Expr::iter(iter, Ty::USIZE);
        let body = match &self.runs.members {
            None => (self.same)(&[at]),
            Some(members) => {
                let inner = self.program.add_iter("e", Ty::USIZE);
                let same = (self.same)(&[at, Expr::iter(inner, Ty::USIZE)]);
                self.stmt(StmtKind::For(For::counted(inner, members.clone(), vec![same])))
            }
        };
        self.stmt(StmtKind::For(For { lo, ..For::counted(iter, hi, vec![body]) }))
    }

    fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt::new(kind, self.origin)
    }
}

/// A loop of few iterations.
fn in_order(mut stmt: Stmt) -> Stmt {
    if let Some(each) = stmt.as_for_mut() {
        each.exec = Exec::Sequential;
    }
    stmt
}

/// A position in arithmetic that wraps, if it reads no elements and cannot panic then.
fn wrapping(expr: &Expr) -> Option<Expr> {
    let wrapped = expr.wrapping(Ty::is_usize);
    (!expr.loads_elements() && wrapped.is_total()).then_some(wrapped)
}
