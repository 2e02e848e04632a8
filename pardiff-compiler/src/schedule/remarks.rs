//! Why loops run in order, and what users may do about it.

use crate::ir::{BufferId, For, Program};
use crate::poly::{AccessKind, Analysis, Answer, BufferDependence};

/// Why a loop runs in order.
#[derive(Clone, PartialEq, Debug)]
pub enum Why {
    /// The user said so.
    Marked,
    /// Its trip count is known only when it ends.
    While,
    /// It is known to have less work than a task costs.
    Small,
    /// It has little work beside other loops of the program.
    Beside,
    /// It has so few iterations that those of the loops inside are the better tasks.
    Few,
    /// A dependence between iterations, or one that cannot be excluded.
    Carried {
        /// The array or variable.
        buffer: BufferId,
        /// What one iteration does to an element that another one uses.
        kind: Dependence,
        /// Whether it is known to happen.
        certain: bool,
        /// By how much the iterator differs, where that is one number.
        distance: Option<i128>,
    },
    /// An array grows as it is written.
    Grows(BufferId),
    /// A summation that may not be reordered.
    Ordered {
        /// The target.
        buffer: BufferId,
        /// Why not.
        why: &'static str,
    },
    /// Copies of the target would cost more than the work of the loop.
    NoScheme(BufferId),
    /// The products inside, and the loops beside them, are the tasks.
    Products,
    /// Something inside is not looked into.
    Opaque,
    /// It was decided before.
    Decided,
}

/// How two iterations meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependence {
    /// One writes what the other reads.
    Flow,
    /// One reads what the other overwrites.
    Anti,
    /// Both write.
    Output,
}

/// What keeps a loop in order, before the reason is found: who asks only whether there is something does not wait for the
/// distance of iterations that meet.
#[derive(Clone)]
pub(crate) enum Obstacle {
    /// What that is already.
    Known(Why),
    /// A dependence between iterations, or one that cannot be excluded.
    Carried(BufferDependence),
}

impl Obstacle {
    /// Whether it is what the statements of the loop are, whatever is known of indices.
    pub(super) fn is_of_statements(&self) -> bool {
        matches!(self, Obstacle::Known(why) if why.is_of_statements())
    }

    /// The reason.
    pub(crate) fn why(self, analysis: &Analysis<'_>, each: &For) -> Why {
        match self {
            Obstacle::Known(why) => why,
            Obstacle::Carried(carried) => reason(analysis, each, &carried),
        }
    }
}

impl From<Why> for Obstacle {
    fn from(why: Why) -> Obstacle {
        Obstacle::Known(why)
    }
}

/// The worst of what a buffer carries, with its distance.
fn reason(analysis: &Analysis<'_>, each: &For, carried: &BufferDependence) -> Why {
    let buffer = carried.buffer;
    let kinds = [
        (carried.flow, Dependence::Flow),
        (carried.anti, Dependence::Anti),
        (carried.output, Dependence::Output),
        (carried.reduction.map_or(Answer::No, |(answer, _)| answer), Dependence::Flow),
    ];
    let worst = kinds.iter().find(|(answer, _)| *answer == Answer::Yes);
    let (answer, kind) = *worst.or(kinds.iter().find(|(answer, _)| !answer.is_no())).unwrap_or(&kinds[0]);
    let mut distance = None;
    let inside = |id: &&_| analysis.loops_around(**id).contains(&each.iter);
    'pairs: for &first in analysis.of(buffer).iter().filter(inside) {
        for &second in analysis.of(buffer).iter().filter(inside) {
            let kinds = (analysis.access(first).kind, analysis.access(second).kind);
            let same = match kind {
                Dependence::Flow => kinds.0.writes() && kinds.1 == AccessKind::Read,
                Dependence::Anti => kinds.0 == AccessKind::Read && kinds.1.writes(),
                Dependence::Output => kinds.0.writes() && kinds.1.writes(),
            };
            if same && analysis.carries_any(each.iter, first, second) == answer {
                distance = analysis.carries(each.iter, first, second).distance;
                break 'pairs;
            }
        }
    }
    Why::Carried { buffer, kind, certain: answer == Answer::Yes, distance }
}

impl Why {
    /// Whether it is what the statements of the loop are, whatever is known of indices.
    pub(super) fn is_of_statements(&self) -> bool {
        matches!(self, Why::Products | Why::Opaque | Why::Grows(_))
    }

    /// The reason in words, as it stands behind "sequential:".
    pub fn text(&self, program: &Program) -> String {
        let name = |buffer: &BufferId| program[*buffer].name.clone();
        match self {
            Why::Marked => "marked `#[sequential]`".to_owned(),
            Why::While => "its end is known only when it is reached".to_owned(),
            Why::Small => "too little work for tasks".to_owned(),
            Why::Beside => "little work beside the other loops".to_owned(),
            Why::Few => "few iterations; the loops inside have more".to_owned(),
            Why::Decided => "inside a loop that was scheduled".to_owned(),
            Why::Products => {
                "the matrix products inside and the loops beside them are cut into tasks".to_owned()
            }
            Why::Opaque => "it calls what is not looked into".to_owned(),
            Why::Grows(buffer) => format!("`{}` grows as it is written", name(buffer)),
            Why::Ordered { buffer, why } => format!("`{}`: {why}", name(buffer)),
            Why::NoScheme(buffer) => {
                format!("copies of `{}` would cost more than the work", name(buffer))
            }
            Why::Carried { buffer, kind, certain, distance } => {
                let may = if *certain { "" } else { "may " };
                let verb = |certain: &'static str, plain: &'static str| {
                    if may.is_empty() { certain } else { plain }
                };
                let what = match kind {
                    Dependence::Flow => format!("{} what another iteration wrote", verb("reads", "read")),
                    Dependence::Anti => format!("{} what another iteration reads", verb("writes", "write")),
                    Dependence::Output => {
                        format!("{} what another iteration writes", verb("writes", "write"))
                    }
                };
                let by = distance.map_or(String::new(), |by| format!(", at distance {}", by.abs()));
                let which = if program[*buffer].rank() == 0 { "the variable" } else { "an element of" };
                format!("an iteration {may}{} ({which} `{}`{by})", what, name(buffer))
            }
        }
    }

    /// What would let the loop run in parallel, where the source can be written so.
    fn remedy(&self, program: &Program) -> Option<String> {
        Some(match self {
            Why::Carried { buffer, .. } if program[*buffer].rank() == 0 => format!(
                "declare `{0}` inside the loop, or let the loop only add to it (`{0} += …`)",
                program[*buffer].name
            ),
            Why::Carried { kind: Dependence::Flow, .. } => {
                "write into another array than the loop reads".to_owned()
            }
            Why::Carried { .. } => "let every iteration write elements of its own".to_owned(),
            Why::Marked => "remove `#[sequential]`".to_owned(),
            Why::While => "count the iterations, `for i in 0..n`, if their number is known before".to_owned(),
            Why::Grows(buffer) => {
                format!("make `{}` as long as it becomes, and assign its elements", program[*buffer].name)
            }
            _ => return None,
        })
    }

    /// The same where it may help: what follows from iterations before is not undone by another array.
    pub(crate) fn advice(&self, program: &Program) -> Option<String> {
        match self {
            Why::Carried { certain: true, .. } => None,
            why => why.remedy(program),
        }
    }

    /// What to write instead of a mark.
    pub(super) fn help(&self, program: &Program) -> String {
        match self {
            Why::Carried { .. } => {
                let remedy = self.remedy(program).unwrap_or_default();
                format!("{remedy}, or remove `#[parallel]`")
            }
            Why::Ordered { .. } => "remove `#[parallel]`, or `strict` where it is set".to_owned(),
            Why::NoScheme(_) => "remove `#[parallel]`: one core does this loop faster".to_owned(),
            _ => "remove `#[parallel]`".to_owned(),
        }
    }
}
