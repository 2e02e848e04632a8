//! What stands around a kernel whose updates are stored.

use super::kernel::Store;
use super::places::{Counted, NARROW, Places, in_portions, over_threads, product};
use super::runs::add_up;
use super::sites::{Length, Updates};
use crate::ir::{BinOp, Block, Expr, Func, Place, Program, Stmt, StmtKind, Ty};
use crate::limits::STORED_TERMS;
use crate::schedule::Decisions;
use crate::schedule::chunks::Builder;
use crate::schedule::cost::{saturating_add, saturating_mul};

/// Replaces a kernel by one that stores these updates, with what counts, sorts and gathers them.
pub(super) fn gathered(
    program: &mut Program,
    stmt: &mut Stmt,
    mut all: Vec<Updates>,
    decisions: &mut Decisions,
) {
    let mut build = Builder { origin: stmt.origin, program };
    let StmtKind::For(mut each) = std::mem::replace(&mut stmt.kind, StmtKind::Fork { tasks: Vec::new() })
    else {
        return;
    };
    let whole = all[0].sites[0].axes[0].clone();
    let ragged = |updates: &Updates| {
        updates.sites.iter().flat_map(|site| &site.axes).any(|axis| axis.length == Length::Ragged)
    };
    let portion = (!all.iter().any(ragged)).then(|| portion(&all));
    let mut sizes = Vec::new();
    let mut bounds = None;
    if portion.is_some() {
        let [from, to] = ["from", "to"].map(|name| build.size(name));
        let [lo, hi] = [from, to].map(|bound| build.load(bound));
        for axis in all.iter_mut().flat_map(|it| &mut it.sites).flat_map(|site| &mut site.axes) {
            if axis.iter == each.iter {
                (axis.lo, axis.hi) = (lo.clone(), hi.clone());
            }
        }
        (each.lo, each.hi) = (lo, hi);
        sizes.extend([from, to]);
        bounds = Some([from, to]);
    }
    let counted = Counted::all(&mut build, &all);
    let places: Vec<Places> = all.iter().map(|updates| Places::new(&mut build, updates)).collect();
    sizes.extend(counted.iter().flat_map(|it| [it.total, it.most]));
    sizes.extend(places.iter().flat_map(Places::sizes));

    let mut body: Block = counted.iter().flat_map(|it| it.count(&mut build, decisions)).collect();
    let mut stored = Block::new();
    let mut arrays = Vec::new();
    for (updates, places) in all.iter().zip(&places) {
        body.extend(places.measure(&build, updates, &counted));
        arrays.extend([places.keys, places.order, places.terms]);
        if !updates.covers() {
            stored.push(no_update(&mut build, places, decisions));
        }
        Store { updates, places, counted: &counted, seen: 0 }.block(&build, &mut each.body);
    }
    stored.push(build.stmt(StmtKind::For(each)));
    for (updates, places) in all.iter().zip(&places) {
        stored.extend(add_up(&mut build, updates, places, decisions));
    }
    body.push(build.scope(arrays, stored));
    let mut body = vec![build.scope(counted.iter().map(|it| it.first).collect(), body)];
    if let (Some(bounds), Some(portion)) = (bounds, portion) {
        body = vec![in_portions(&mut build, bounds, &whole, portion, body)];
    }
    *stmt = build.scope(sizes, body);
}

/// How many iterations of the kernel are a portion.
fn portion(all: &[Updates]) -> Expr {
    let mut terms = Expr::usize(0);
    for updates in all {
        for site in &updates.sites {
            let own = product(&site.axes[1..]);
            let own = updates.row.iter().cloned().fold(own, saturating_mul);
            terms = saturating_add(terms, own);
        }
    }
    let most = |a: Expr| Expr::call(Ty::USIZE, Func::IntMax, vec![a, Expr::usize(1)]);
    most(Expr::binary(BinOp::Div, Expr::usize(STORED_TERMS), most(terms)))
}

/// Fills the keys with one that is no update's.
fn no_update(build: &mut Builder<'_>, places: &Places, decisions: &mut Decisions) -> Stmt {
    let update = build.index("update");
    let at = Place::new(places.keys, vec![Expr::iter(update, Ty::USIZE)]);
    let body = vec![build.assign(at, places.rows.clone().cast(NARROW))];
    decisions.loops.insert(update, "parallel: no update yet".to_owned());
    over_threads(build, update, Expr::usize(0), build.load(places.updates), body)
}
