//! The parts of a summation: a chunk adds to a part of its own, and the parts are merged in the order of the chunks.
//!
//! ```text
//! total += e        scalar reduction   total_part = 0; … total_part += e …; parts[c] = total_part
//!                                      behind the loop: for c in 0..chunks: total += parts[c]
//! d_w[j] += e       private copies     parts[c, …] = 0; … parts[c, j] += e …
//!                                      behind the loop: for c in 0..chunks: for k in …: d_w[k] += parts[c, k]
//! d_x[at[i]] += e   window copies      the same for a part of the array, see `footprint`
//! ```
//!
//! Legal because the loop does nothing to the target but update it by this one operation: no iteration sees a value
//! of it, and additions are regrouped only where that is allowed. A part is written by its chunk alone. The merge of an
//! element of an array stands under `index < extent`: an element that does not exist was never added to (its check
//! would have failed), so it gets nothing.

pub(super) mod merge;

use self::merge::{Merged, every, is_short};
use super::Decisions;
use super::chunks::Builder;
use super::cost::saturating_mul;
use super::footprint::Window;
use super::parallel::Plan;
use super::summation::{Means, Summation};
use crate::ir::{
    Block, Buffer, BufferId, Expr, IterId, Layout, Place, Program, ReduceOp, Role, Scheme, StmtKind, Ty,
};
use crate::limits::{MERGED_IN_ORDER, PADDING_OF_PARTS};

/// Where a chunk accumulates.
pub(super) struct Parts {
    target: BufferId,
    op: ReduceOp,
    neutral: Expr,
    chunk: IterId,
    scalar: bool,
    kind: Kind,
}

enum Kind {
    /// For each element of the target: a variable of the chunk, and an array of a value a chunk.
    Scalars(Vec<(Vec<Expr>, BufferId, BufferId)>),
    /// A copy a chunk.
    Copies(BufferId),
    /// A copy of its window a chunk, one behind the other in one array.
    Windows(Window, BufferId),
    /// None: chunks whose windows are apart add to the target itself, see `chunk_colouring`.
    Coloured(Window),
}

impl Parts {
    pub(super) fn new(
        build: &mut Builder<'_>,
        sum: &Summation,
        plan: &Plan,
        chunks: &Expr,
        chunk: IterId,
    ) -> Parts {
        let Buffer { name, elem, dims, .. } = build.program[sum.buffer].clone();
        let array = |build: &mut Builder<'_>, inner: Vec<Expr>| {
            let dims = [chunks.clone()].into_iter().chain(inner).collect();
            let parts = Buffer::new(&format!("{name}_parts"), elem, dims, Role::Local);
            build.program.add_buffer(Buffer { layout: Layout::Padded(PADDING_OF_PARTS), ..parts })
        };
        let kind = match &sum.means {
            Means::Scalars(elements) => {
                let scalar = |index: &Vec<Expr>| {
                    let part = build.program.add_scalar(&format!("{name}_part"), elem, Role::Local);
                    (index.clone(), part, array(build, Vec::new()))
                };
                Kind::Scalars(elements.iter().map(scalar).collect())
            }
            Means::Copies(_) => {
                let rows = dims.get(1..).and_then(|inner| inner.last()?.as_usize());
                let array = array(build, dims);
                if rows.is_some_and(is_short) {
                    build.program[array].layout = Layout::RowMajor;
                }
                Kind::Copies(array)
            }
            Means::Windows(_) => {
                let window = Window::new(build, sum.buffer, chunks);
                let dims = vec![window.total(build)];
                let parts = Buffer::new(&format!("{name}_parts"), elem, dims, Role::Local);
                Kind::Windows(window, build.program.add_buffer(parts))
            }
            Means::Colours => Kind::Coloured(Window::new(build, sum.buffer, chunks)),
        };
        Parts {
            target: sum.buffer,
            op: sum.op,
            neutral: sum.neutral.clone(),
            chunk,
            scalar: plan.scalar,
            kind,
        }
    }

    /// The arrays that outlive the tasks.
    pub(super) fn stored(&self) -> Vec<BufferId> {
        match &self.kind {
            Kind::Scalars(all) => all.iter().map(|(_, _, array)| *array).collect(),
            Kind::Copies(array) | Kind::Windows(_, array) => vec![*array],
            Kind::Coloured(_) => Vec::new(),
        }
    }

    pub(super) fn is_copied(&self) -> bool {
        matches!(self.kind, Kind::Copies(_) | Kind::Windows(..))
    }

    /// Whether the target is known to have few elements.
    fn is_small(&self, program: &Program) -> bool {
        let size = program[self.target].dims.iter().cloned().fold(Expr::usize(1), saturating_mul);
        size.as_usize().is_some_and(|size| size <= MERGED_IN_ORDER)
    }

    /// The windows of the chunks, where only they matter.
    pub(super) fn window(&self) -> Option<&Window> {
        match &self.kind {
            Kind::Windows(window, _) | Kind::Coloured(window) => Some(window),
            _ => None,
        }
    }

    /// The windows of the chunks, where these must be apart.
    pub(super) fn coloured(&self) -> Option<&Window> {
        match &self.kind {
            Kind::Coloured(window) => Some(window),
            _ => None,
        }
    }

    /// What a chunk does first: its part is the neutral element.
    pub(super) fn open(&self, build: &mut Builder<'_>, locals: &mut Vec<BufferId>, body: &mut Block) {
        match &self.kind {
            Kind::Scalars(all) => {
                for &(_, part, _) in all {
                    locals.push(part);
                    body.push(build.set(part, self.neutral.clone()));
                }
            }
            Kind::Copies(array) => {
                let dims = build.program[self.target].dims.clone();
                let chunk = Expr::iter(self.chunk, Ty::USIZE);
                let neutral = self.neutral.clone();
                let loops = every(build, &dims, !self.scalar, &mut |build, index| {
                    let index = [chunk.clone()].into_iter().chain(index.iter().cloned()).collect();
                    build.assign(Place::new(*array, index), neutral.clone())
                });
                body.push(loops);
            }
            Kind::Windows(window, parts) => {
                locals.extend(window.own());
                window.open(build, self.chunk, *parts, &self.neutral, body);
            }
            Kind::Coloured(_) => {}
        }
    }

    /// What a chunk does last: its part is kept.
    pub(super) fn close(&self, build: &mut Builder<'_>, body: &mut Block) {
        if let Kind::Scalars(all) = &self.kind {
            for &(_, part, array) in all {
                let chunk = Expr::iter(self.chunk, Ty::USIZE);
                body.push(build.assign(Place::new(array, vec![chunk]), build.load(part)));
            }
        }
    }

    /// The merge, in the order of the chunks: statements, or what tasks add to an array in pieces.
    pub(super) fn merge<'a>(
        &'a self,
        build: &mut Builder<'_>,
        chunks: &'a Expr,
        block: &mut Block,
        in_pieces: &mut Vec<Merged<'a>>,
    ) {
        let target = build.program[self.target].clone();
        let reduce = move |build: &Builder<'_>, index: Vec<Expr>, value: Expr| {
            let target = Place::new(self.target, index);
            build.stmt(StmtKind::Reduce { op: self.op, target, value, scheme: Scheme::Sequential })
        };
        match &self.kind {
            Kind::Scalars(all) => {
                for (index, _, array) in all {
                    let chunk = build.index("chunk");
                    let part = Place::new(*array, vec![Expr::iter(chunk, Ty::USIZE)]).load(target.elem);
                    let add = reduce(build, index.clone(), part);
                    let merge = build.sequential(chunk, chunks.clone(), vec![add]);
                    let exists = index.iter().zip(&target.dims);
                    let exists = exists.map(|(index, extent)| index.clone().below(extent.clone()));
                    block.push(match exists.reduce(|a, b| a & b) {
                        None => merge,
                        Some(cond) => build.when(cond, vec![merge]),
                    });
                }
            }
            Kind::Copies(array) => {
                let chunk = build.index("chunk");
                let (array, elem) = (*array, target.elem);
                let mut add = move |build: &mut Builder<'_>, index: &[Expr]| {
                    let of_chunk = [Expr::iter(chunk, Ty::USIZE)].into_iter().chain(index.iter().cloned());
                    let part = Place::new(array, of_chunk.collect()).load(elem);
                    reduce(build, index.to_vec(), part)
                };
                if self.scalar || self.is_small(build.program) {
                    let loops = every(build, &target.dims, false, &mut add);
                    block.push(build.sequential(chunk, chunks.clone(), vec![loops]));
                } else {
                    in_pieces.push(Merged {
                        dims: target.dims,
                        chunk,
                        chunks,
                        window: None,
                        add: Box::new(add),
                    });
                }
            }
            Kind::Windows(window, parts) if self.scalar => {
                window.merge(build, self.op, *parts, chunks, block);
            }
            Kind::Windows(window, parts) => {
                in_pieces.push(window.merged(build, self.op, *parts, chunks));
            }
            Kind::Coloured(_) => {}
        }
    }

    /// Says of each sum why its scheme is as it is, and what its two cheapest ones are estimated at.
    pub(super) fn explain(&self, program: &Program, plan: &Plan, chunk: IterId, decisions: &mut Decisions) {
        let estimates = plan.estimates.iter().find(|(target, _)| *target == self.target);
        let estimates = estimates.map_or(String::new(), |(_, text)| format!(" (estimates: {text})"));
        let mut say = |part: BufferId, why: &str| {
            decisions.sums.insert((chunk, part), format!("{why}{estimates}"));
        };
        match &self.kind {
            Kind::Scalars(all) => {
                for &(_, part, _) in all {
                    say(part, "does not depend on the loop; a part a chunk, merged in order");
                }
            }
            Kind::Copies(array) if self.is_small(program) => {
                say(*array, "a copy a chunk, few elements, merged in order");
            }
            Kind::Copies(array) => say(*array, "a copy a chunk, small against the work, merged in order"),
            Kind::Windows(_, array) => {
                let why = "a copy a chunk of the elements between the least and the greatest index, merged in order";
                say(*array, why);
            }
            Kind::Coloured(_) => {
                say(
                    self.target,
                    "windows of chunks overlap with neighbours alone: every second chunk at a time",
                );
            }
        }
    }
}

/// Redirects the target of a reduction to the part of the chunk; gives the scheme.
pub(super) fn part_targets(parts: &[Parts], target: &mut Place) -> Option<Scheme> {
    let part = parts.iter().find(|part| part.target == target.buffer)?;
    match &part.kind {
        Kind::Scalars(all) => {
            let (_, scalar, _) = all.iter().find(|(index, _, _)| *index == target.index)?;
            *target = Place::scalar(*scalar);
            Some(Scheme::ScalarReduction)
        }
        Kind::Copies(array) => {
            let chunk = Expr::iter(part.chunk, Ty::USIZE);
            let index = [chunk].into_iter().chain(target.index.drain(..)).collect();
            *target = Place::new(*array, index);
            Some(Scheme::PrivateCopies)
        }
        Kind::Windows(window, array) => {
            *target = window.redirect(*array, target.index.pop()?);
            Some(Scheme::WindowCopies)
        }
        Kind::Coloured(_) => Some(Scheme::BlockColouring),
    }
}
