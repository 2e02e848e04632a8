//! Which statements compute every element of an adjoint that is computed at all, once, before anything is added to it.

use super::polynomial::Polynomial;
use crate::ir::{
    Block, BufferId, Expr, ExprKind, For, IterId, Place, Program, Role, Stmt, Ty, any, each_part,
};
use std::collections::HashSet;

/// An adjoint to each of whose computed elements one of the first statements adds once, and others after it.
pub(super) struct Cover<'p> {
    pub(super) adjoint: BufferId,
    /// The loop around the first statements.
    pub(super) innermost: &'p For,
    /// Their numbers among the statements in it that add to the adjoint.
    pub(super) firsts: Vec<usize>,
    pub(super) computed: Computed<'p>,
    /// The numbers of elements of the first dimension that belong to one of what is counted.
    pub(super) radices: Vec<Expr>,
}

/// What is counted in the first dimension: its elements, or groups of them.
pub(super) enum Computed<'p> {
    /// Those below a number.
    Below(Expr),
    /// Rows, which may follow one another: the inner loop counts through those of an iteration of the outer one.
    Rows(&'p For, &'p For),
}

/// A statement that mentions an adjoint.
struct Mention<'p> {
    /// What it adds to, if it does nothing else.
    target: Option<&'p Place>,
    loops: Vec<&'p For>,
    /// Whether every iteration of the loops executes it.
    always: bool,
}

/// The adjoints of inputs that begin with assignments.
pub(super) fn covers(program: &Program) -> Vec<Cover<'_>> {
    let candidates = program.params.iter().copied().filter(|&id| {
        let of_input = matches!(program[id].role, Role::Adjoint(of) if program[of].role == Role::Input);
        of_input && program[id].rank() > 0
    });
    let mut mentions: Vec<(BufferId, Vec<Mention<'_>>)> = candidates.map(|id| (id, Vec::new())).collect();
    if mentions.is_empty() {
        return Vec::new();
    }
    look(&program.body, &mut Vec::new(), true, &mut mentions);
    mentions.iter().filter_map(|(adjoint, mentions)| cover(program, *adjoint, mentions)).collect()
}

fn look<'p>(
    block: &'p Block,
    loops: &mut Vec<&'p For>,
    always: bool,
    found: &mut [(BufferId, Vec<Mention<'p>>)],
) {
    for stmt in block {
        let mut mention = |buffer: BufferId, target: Option<&'p Place>| {
            if let Some((_, list)) = found.iter_mut().find(|(adjoint, _)| *adjoint == buffer) {
                list.push(Mention { target, loops: loops.clone(), always });
            }
        };
        stmt.each_expr(&mut |expr| expr.each_load(&mut |place| mention(place.buffer, None)));
        if let Some((target, _)) = stmt.as_store() {
            mention(target.buffer, stmt.as_sum().map(|sum| sum.target));
        }
        stmt.whole().for_each(|buffer| mention(buffer, None));
        if let Some(each) = stmt.as_for() {
            loops.push(each);
            look(&each.body, loops, always, found);
            loops.pop();
        } else {
            let always = always && stmt.as_scope().is_some();
            stmt.blocks().into_iter().for_each(|inner| look(inner, loops, always, found));
        }
    }
}

fn cover<'p>(program: &'p Program, adjoint: BufferId, mentions: &[Mention<'p>]) -> Option<Cover<'p>> {
    let loops = &mentions.first()?.loops;
    let innermost = *loops.last()?;
    let (mut firsts, mut targets, mut number) = (Vec::new(), Vec::<&Place>::new(), 0);
    for mention in mentions {
        let target = mention.target?;
        let common = mention.loops.iter().zip(loops).take_while(|(a, b)| std::ptr::eq(**a, **b)).count();
        let beside = common == loops.len() && mention.loops.len() == common;
        let is_new = !targets.iter().any(|first| first.index == target.index);
        if beside && mention.always && is_new {
            firsts.push(number);
            targets.push(target);
        } else if !targets.iter().any(|first| is_behind(program, (mention, target), (loops, first), common)) {
            return None;
        }
        number += usize::from(common == loops.len());
    }
    let (computed, radices) = counted(program, &targets, loops)?;
    Some(Cover { adjoint, innermost, firsts, computed, radices })
}

/// What the loops around statements count, if every element that these add to is counted once.
fn counted<'p>(
    program: &'p Program,
    targets: &[&Place],
    loops: &[&'p For],
) -> Option<(Computed<'p>, Vec<Expr>)> {
    let place = *targets.first()?;
    let extents = &program[place.buffer].dims;
    // one statement for each number of some dimensions, and for each element of a group of the first one
    let (mut rows, mut numbered, mut group) = (loops.to_vec(), Vec::new(), targets.len());
    for (dim, dim_extent) in extents.iter().enumerate().skip(1) {
        match (&place.index[dim].kind, &dim_extent.kind) {
            (ExprKind::Iter(iter), _) => {
                let whole =
                    |each: &&For| each.iter == *iter && each.hi == *dim_extent && is_counted(program, each);
                rows.remove(rows.iter().position(whole)?);
                targets.iter().all(|target| target.index[dim] == place.index[dim]).then_some(())?;
            }
            (ExprKind::Int(_), ExprKind::Int(extent)) => {
                let extent = usize::try_from(*extent).ok().filter(|extent| *extent > 0)?;
                (group % extent == 0).then_some(())?;
                group /= extent;
                numbered.push((dim, extent));
            }
            _ => return None,
        }
    }
    let all_counted = |loops: &[&For]| loops.iter().all(|each| is_counted(program, each));
    let (computed, first, rest) = match &rows[..] {
        [first, rest @ ..] if all_counted(&rows) => (Computed::Below(first.hi.clone()), first, rest),
        [along, row, rest @ ..]
            if std::ptr::eq(loops[0], *along)
                && [along, row].into_iter().all(|each| each.is_plain())
                && [&along.lo, &along.hi].into_iter().all(|bound| is_fixed(program, bound))
                && all_counted(rest) =>
        {
            (Computed::Rows(along, row), row, rest)
        }
        _ => return None,
    };
    let digit = |each: &For| Polynomial::of(program, &Expr::iter(each.iter, Ty::USIZE));
    let mut number = digit(first)?;
    for each in rest {
        number = number.times(&Polynomial::of(program, &each.hi)?)?.plus(&digit(each)?, 1)?;
    }
    are_all_elements(program, targets, &number, group, &numbered)?;
    let mut radices: Vec<Expr> = rest.iter().map(|each| each.hi.clone()).collect();
    if group > 1 {
        radices.push(Expr::usize(group));
    }
    Some((computed, radices))
}

/// Something if the statements add to every element of the group with a number, by each number below the extents of the
/// dimensions that are `numbered`. There are as many statements as elements, so none may come twice.
fn are_all_elements(
    program: &Program,
    targets: &[&Place],
    number: &Polynomial,
    group: usize,
    numbered: &[(usize, usize)],
) -> Option<()> {
    let constant = |number: usize| Polynomial::of(program, &Expr::usize(number));
    let first = number.times(&constant(group)?)?;
    let mut seen = HashSet::new();
    for target in targets {
        let index = Polynomial::of(program, &target.index[0])?;
        let of_group = (0..group).find(|&at| {
            constant(at).and_then(|at| first.clone().plus(&at, 1)).is_some_and(|element| element == index)
        });
        let others = numbered.iter().map(|&(dim, extent)| match target.index[dim].kind {
            ExprKind::Int(at) => usize::try_from(at).ok().filter(|at| *at < extent),
            _ => None,
        });
        let element: Option<Vec<usize>> = std::iter::once(of_group).chain(others).collect();
        seen.insert(element?).then_some(())?;
    }
    Some(())
}

/// Whether it counts all numbers below one that does not change.
fn is_counted(program: &Program, each: &For) -> bool {
    each.is_from_zero() && is_fixed(program, &each.hi)
}

/// Whether the value is a polynomial of parameters that do not change: it is the same everywhere, and it can be asked for
/// in front of all loops.
fn is_fixed(program: &Program, expr: &Expr) -> bool {
    Polynomial::of(program, expr).is_some() && depends_on_inputs(program, expr, &mut |_| false)
}

/// Whether nothing but parameters that do not change and some iterators decide the value.
pub(super) fn depends_on_inputs(
    program: &Program,
    expr: &Expr,
    may_depend: &mut dyn FnMut(IterId) -> bool,
) -> bool {
    let given = |buffer: BufferId| program.params.contains(&buffer);
    expr.all(&mut |part| match &part.kind {
        ExprKind::Load(place) => given(place.buffer) && program[place.buffer].role == Role::Input,
        ExprKind::Extent(buffer, _) => given(*buffer),
        ExprKind::Iter(iter) => may_depend(*iter),
        _ => true,
    })
}

/// Whether a statement adds to elements only that a first one has been through in its loops: it stands behind the nest, or
/// in the same iteration of the `common` ones of its loops, and counts through the same elements in the others.
fn is_behind(
    program: &Program,
    (mention, target): (&Mention<'_>, &Place),
    (loops, first): (&[&For], &Place),
    common: usize,
) -> bool {
    if common == 0 {
        return true;
    }
    let (here, there) = (&mention.loops[common..], &loops[common..]);
    let renamed = |expr: &Expr| {
        expr.map(&mut |node| match node.kind {
            ExprKind::Iter(iter) => {
                let known = here.iter().zip(there).find(|(here, _)| here.iter == iter);
                known.map_or(node, |(_, there)| Expr::iter(there.iter, program[there.iter].ty))
            }
            _ => node,
        })
    };
    let is_same = |a: &Expr, b: &Expr| renamed(a) == *b && depends_on_inputs(program, b, &mut |_| true);
    let bounds = |(here, there): (&&For, &&For)| {
        here.is_plain() && is_same(&here.lo, &there.lo) && is_same(&here.hi, &there.hi)
    };
    here.len() == there.len()
        && here.iter().zip(there).all(bounds)
        && target.index.iter().zip(&first.index).all(|(a, b)| is_same(a, b))
}

/// Whether a loop is of statements without loops, and of how many nodes of expressions.
pub(super) fn straight(each: &For) -> Option<usize> {
    let mut nodes = 0;
    each_part(&each.body, &mut |_| nodes += 1);
    (!any(&each.body, &mut Stmt::is_loop)).then_some(nodes)
}
