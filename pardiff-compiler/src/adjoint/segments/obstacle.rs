//! Why a loop does not run in segments, for those who asked for it.

use crate::ir::{BufferId, Program, Role};

/// What is in the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Obstacle {
    /// It is in a loop that cannot run in segments itself.
    Inside,
    /// It is under a condition.
    Condition,
    /// The gradient keeps nothing of it.
    NoArrays,
    /// Its iterations are not `lo, lo + 1, …` up to a bound that is known in front of it.
    Range,
    /// Its iterations are independent.
    Parallel,
    /// An iteration receives from other ranks what cannot be kept.
    Message,
    /// A tape whose slots are not the steps.
    Tape(BufferId),
    /// What a step needs, and another one or what comes behind changes, has no fixed size.
    Size(BufferId),
    /// A limit of memory where tapes grow in an iteration.
    Grows,
    /// A limit of memory on a loop in which another loop is marked.
    Memory,
    /// Which statements a step runs, or where it writes, depends on what may differ by rounding.
    Ways,
}

impl Obstacle {
    /// Why, in words.
    pub(super) fn why(self, program: &Program) -> String {
        let name = |buffer: BufferId| program[buffer].name.clone();
        match self {
            Obstacle::Inside => "it is inside another loop that cannot either".to_owned(),
            Obstacle::Condition => {
                "whether it runs depends on a condition, around it or of a `return` before it".to_owned()
            }
            Obstacle::NoArrays => {
                "the gradient keeps nothing of its iterations, so there is no memory to save".to_owned()
            }
            Obstacle::Range => {
                "how many iterations it has must be known before it, and they must go up by one".to_owned()
            }
            Obstacle::Parallel => {
                "its iterations do not follow from each other, and run in parallel".to_owned()
            }
            Obstacle::Message => {
                "how much an iteration receives from other ranks is not known before the loop".to_owned()
            }
            Obstacle::Tape(tape) => {
                let of = of_whom(program, tape).map_or("an iteration".to_owned(), |of| format!("`{of}`"));
                format!("how much the gradient keeps of {of} differs between iterations")
            }
            Obstacle::Size(buffer) => format!("the size of `{}` changes in the loop", name(buffer)),
            Obstacle::Grows => {
                "how much the gradient keeps of an iteration is known when it has run".to_owned()
            }
            Obstacle::Memory => "what an iteration takes is decided by the mark of a loop in it".to_owned(),
            Obstacle::Ways => {
                "what an iteration does or where it writes depends on floats, or on a condition in it"
                    .to_owned()
            }
        }
    }

    /// What to write instead.
    pub(super) fn help(self, program: &Program) -> String {
        match self {
            Obstacle::Inside => "mark the outermost loop, or remove the mark".to_owned(),
            Obstacle::Condition => {
                "let the condition say how often it runs, before all loops: `let steps = if c { steps } else { 0 };`"
                    .to_owned()
            }
            Obstacle::Grows => "write `#[checkpoint]`, or say how many: `#[checkpoint(states = 64)]`".to_owned(),
            Obstacle::Memory => {
                "write `states = …` here, and `memory = …` on the loop inside".to_owned()
            }
            Obstacle::Range => "write `for t in 0..steps`, or remove the mark".to_owned(),
            Obstacle::Parallel => {
                "remove the mark, or write `#[replay]`: iterations are then run again one at a time"
                    .to_owned()
            }
            Obstacle::Ways => "let only floats depend on floats in the loop, or remove the mark".to_owned(),
            Obstacle::Tape(_) => {
                "set the bounds of loops inside before the marked loop, or remove the mark".to_owned()
            }
            Obstacle::Size(buffer) => {
                let name = &program[buffer].name;
                format!(
                    "declare `{name}`, and what it is swapped with, of one size before the loop, or remove the mark"
                )
            }
            Obstacle::Message => {
                "receive arrays of one size, in loops whose bounds are set before the marked loop, or remove the mark"
                    .to_owned()
            }
            Obstacle::NoArrays => "remove the mark".to_owned(),
        }
    }
}

/// The variable of the function whose values a tape holds, if they are of one.
fn of_whom(program: &Program, tape: BufferId) -> Option<&str> {
    let (name, _) = program[tape].name.rsplit_once("_tape")?;
    program.buffers.iter().any(|buffer| buffer.name == name && buffer.role != Role::Tape).then_some(name)
}
