//! The decisions in words, printed from the programs that the back end obeys.
//!
//! *Comes in*: the scheduled adjoint program, and that of the values alone, with the reasons of the scheduler. *Goes
//! out*: the texts of `PLAN` (a screen, see `summary`) and of `DECISIONS`, in the user's names. *Guarantees*: every
//! loop, every tape buffer and every summation of the programs is one line of `DECISIONS`, because it is a traversal of
//! their statements. *Never*: decides anything, or says what is not in the programs.
//!
//! ```text
//! loss: value and gradient in two sweeps; 1 loop in parallel
//!   tape y_tape  n f64, row-major; holds y at [i]
//!   forward sweep
//!     for chunk in 0..chunks    parallel: at most 256 chunks, of whole blocks of 128 iterations unless that leaves fewer than 4
//!       for i in from..to       sequential
//!         total_part +=         scalar reduction: does not depend on the loop; a part a chunk, merged in order (estimates: a part a chunk 1e0, in order 5e3)
//!     for chunk in 0..chunks    sequential
//!       total +=                in order
//!   reverse sweep
//!     for i in 0..n, downwards  sequential: too little work for tasks
//!       …
//! loss: value alone
//!   …
//! ```
//!
//! Estimates are those of the two cheapest schemes, in additions where sizes are 1000.

mod lines;
mod segments;
mod summary;
mod words;

use crate::ir::{Cases, Exec, Expr, For, Level, Phase, Program, Stmt, StmtKind};
use crate::modes::{Mode, Planned};
use crate::schedule::Scheduled;
use lines::{Kind, Line, lines};

/// The modes besides those of every function, with what they compute.
const FURTHER: [(Mode, &str); 8] = [
    (Mode::Tangent, "value and tangent"),
    (Mode::Second, "value and Hessian-vector product"),
    (Mode::Tangents, "value and a batch of tangents"),
    (Mode::Gradients, "value and a batch of gradients"),
    (Mode::Seconds, "value and a batch of Hessian-vector products"),
    (Mode::Forward, "value and tape"),
    (Mode::Backward, "gradient of the tape"),
    (Mode::Backwards, "batch of gradients of the tape"),
];

/// What was decided for a function.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// On a screen: what runs in parallel and what in order, tapes, copies.
    pub summary: String,
    /// Every loop, every tape and every summation.
    pub decisions: String,
}

/// The plan of a function, of its modes.
pub fn describe_modes(planned: &[Planned]) -> Plan {
    let of = |mode| planned.iter().find(|it| it.mode == mode);
    let mut summary = String::new();
    if let Some(gradient) = of(Mode::Gradient) {
        if let Cases::Alike { equal, .. } = &gradient.cases {
            let program = &gradient.cases.general().program;
            summary += &format!(
                "calls with {} have a simpler program; of all others:\n",
                words::expr(program, equal)
            );
        }
        let what = format!("value and gradient {}", summary::sweeps(&gradient.cases.general().program));
        summary += &summary::of_mode(gradient, &what, true);
    }
    if let Some(value) = of(Mode::Value) {
        summary += &summary::of_mode(value, "value alone", false);
    }
    for (mode, what) in FURTHER {
        if let Some(planned) = of(mode) {
            summary += &summary::of_mode(planned, what, false);
        }
    }
    if let Some(planned) = planned.first() {
        summary +=
            &format!("every loop, tape and sum: `{}::DECISIONS`\n", planned.cases.general().program.name);
    }
    Plan { summary, decisions: decisions(planned) }
}

/// The whole list.
fn decisions(planned: &[Planned]) -> String {
    let of = |mode| planned.iter().find(|it| it.mode == mode).map(|it| &it.cases);
    let further = FURTHER.iter().filter_map(|(mode, what)| Some(in_one(what, of(*mode)?.general())));
    of_gradient(of(Mode::Gradient), of(Mode::Value)) + &further.collect::<String>()
}

fn of_gradient(gradient: Option<&Cases<Scheduled>>, value: Option<&Cases<Scheduled>>) -> String {
    match (gradient, value) {
        (Some(Cases::All(gradient)), Some(Cases::All(value))) => describe(gradient, value),
        (
            Some(Cases::Alike { equal, like: gradient_of_like, other: gradient, .. }),
            Some(Cases::Alike { like: value_of_like, other: value, .. }),
        ) => describe_either(equal, (gradient_of_like, value_of_like), (gradient, value)),
        _ => String::new(),
    }
}

/// The plan of two programs: `gradient` is what computes value and gradient, `value` the value alone.
pub fn describe(gradient: &Scheduled, value: &Scheduled) -> String {
    let name = &gradient.program.name;
    let sweeps = summary::sweeps(&gradient.program);
    let mut text = format!("{name}: value and gradient {sweeps}; {}\n", parallel(&gradient.program));
    text += &products(gradient);
    two_sweeps(&lines(gradient), &mut text);
    text + &in_one("value alone", value)
}

/// The list of a mode whose statements all run in the order of the primal.
fn in_one(what: &str, scheduled: &Scheduled) -> String {
    let name = &scheduled.program.name;
    let mut text = format!("{name}: {what}; {}\n", parallel(&scheduled.program));
    text += &products(scheduled);
    let lines = lines(scheduled);
    let width = width(&lines, 1);
    lines.iter().for_each(|line| write_line(line, 1, width, &mut text));
    text
}

/// The section of a mode on a GPU.
pub fn describe_gpu(mode: Mode, gradient: &Scheduled) -> Plan {
    let mut kernels = 0;
    gradient.program.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            let is_kernel = |each: &For| each.exec == Exec::Parallel(Level::Grid);
            kernels += usize::from(stmt.as_for().is_some_and(is_kernel));
        });
    });
    let name = &gradient.program.name;
    let how = match kernels {
        0 => "one thread runs everything in order".to_owned(),
        1 => "1 loop over threads".to_owned(),
        kernels => format!("{kernels} loops over threads"),
    };
    let what = match mode {
        Mode::Tangent => "tangents",
        _ => "value and gradient",
    };
    let summary = format!("{name}: {what} on a GPU; {how}\n");
    let mut decisions = summary.clone();
    two_sweeps(&lines(gradient), &mut decisions);
    Plan { summary, decisions }
}

/// What was decided for the calls in which lengths are equal, and for the others.
fn describe_either(
    equal: &Expr,
    first: (&Scheduled, &Scheduled),
    second: (&Scheduled, &Scheduled),
) -> String {
    let program = &first.1.program;
    let (name, equal) = (&program.name, words::expr(program, equal));
    format!(
        "{name}: in calls with {equal}\n{}{name}: in all others\n{}",
        describe(first.0, first.1),
        describe(second.0, second.1)
    )
}

/// Which products are left to loops.
fn products(scheduled: &Scheduled) -> String {
    match scheduled.decisions.products {
        None | Some((0, _)) => String::new(),
        Some((1, why)) => format!("  1 matrix product stays loops: {why}\n"),
        Some((count, why)) => format!("  {count} matrix products stay loops: {why}\n"),
    }
}

/// How many loops run in parallel.
fn parallel(program: &Program) -> String {
    let mut tasks = 0;
    let is_task =
        |stmt: &Stmt| matches!(&stmt.kind, StmtKind::For(For { exec: Exec::Parallel(Level::Task), .. }));
    program.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| tasks += usize::from(is_task(stmt))));
    match tasks {
        0 => "every loop is sequential".to_owned(),
        1 => "1 loop in parallel".to_owned(),
        tasks => format!("{tasks} loops in parallel"),
    }
}

/// Tapes first; then the statements up to the last one of the primal, then the others.
fn two_sweeps(lines: &[Line], text: &mut String) {
    let (tapes, rest): (Vec<&Line>, Vec<&Line>) = lines.iter().partition(|line| line.kind == Kind::Tape);
    let outermost = |line: &Line| line.depth == 0;
    let last_primal = rest.iter().rposition(|line| outermost(line) && line.phase == Phase::Primal);
    let split = match last_primal {
        None => 0,
        Some(last) => rest[last + 1..]
            .iter()
            .position(|line| outermost(line))
            .map_or(rest.len(), |next| last + 1 + next),
    };
    let tapes: Vec<Line> = tapes.into_iter().map(|line| Line { depth: 0, ..line.clone() }).collect();
    let of_tapes = width(&tapes, 1);
    tapes.iter().for_each(|line| write_line(line, 1, of_tapes, text));
    let rest: Vec<Line> = rest.into_iter().cloned().collect();
    let width = width(&rest, 2);
    let (forward, reverse) = rest.split_at(split);
    for (title, sweep) in [("forward sweep", forward), ("reverse sweep", reverse)] {
        if sweep.is_empty() {
            *text += &format!("  {title}: no loop and no sum\n");
        } else {
            *text += &format!("  {title}\n");
            sweep.iter().for_each(|line| write_line(line, 2, width, text));
        }
    }
}

/// The column of the explanations: behind the longest line that is not out of proportion.
fn width(lines: &[Line], indent: usize) -> usize {
    let own = |line: &Line| 2 * (line.depth + indent) + line.what.chars().count();
    lines.iter().map(own).filter(|&own| own <= 48).max().unwrap_or(0)
}

fn write_line(line: &Line, indent: usize, width: usize, text: &mut String) {
    let what = format!("{}{}", "  ".repeat(line.depth + indent), line.what);
    *text += &format!("{what:width$}  {}\n", line.how);
}

#[cfg(test)]
mod tests;
