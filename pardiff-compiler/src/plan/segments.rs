//! How long the segments of loops over time are, as formulas: what the tapes in the plan are as long as.
//!
//! ```text
//!   in segments: an iteration runs again once
//!     step_bytes = 8 * u.len()
//!     state_bytes = 8 * u.len()
//!     parts = (steps * step_bytes / state_bytes.max(1)).isqrt().min(steps).max(1)
//!     segment = steps.div_ceil(parts).max(1)
//!     segments = steps.div_ceil(segment)
//! ```

use super::words::expr;
use crate::ir::{self, Block, BufferId, BufferSet, For, Order, Program, Role, Stmt, walk};
use crate::limits::LINES_OF_SEGMENTS;

/// Writes the formulas, and how often iterations run again.
pub(super) fn lengths(program: &Program, text: &mut String) {
    let (mut again, mut of_tapes) = (Vec::new(), BufferSet::new());
    let levels = levels(&program.body);
    if levels > 0 {
        let times = if levels == 1 { "once".to_owned() } else { format!("at most {levels} times") };
        again.push(format!("in segments: an iteration runs again {times}"));
    }
    walk(&program.body, &mut |stmt| {
        again.extend(stmt.as_for().filter(|each| is_binomial(each)).map(|each| runs(program, each)));
        for &tape in stmt.declares().iter().filter(|&&it| program[it].role == Role::Tape) {
            program[tape]
                .dims
                .iter()
                .for_each(|extent| extent.reads(program, &mut |of| _ = of_tapes.insert(of)));
        }
    });
    if again.is_empty() {
        return;
    }
    let mut lengths = Lengths { program, of_tapes, rows: Vec::new() };
    lengths.block(&program.body, false, "");
    again.iter().for_each(|line| *text += &format!("  {line}\n"));
    let rows = lengths.rows;
    rows.iter().take(LINES_OF_SEGMENTS).for_each(|row| *text += &format!("    {row}\n"));
    if rows.len() > LINES_OF_SEGMENTS {
        *text += &format!("    and {} more\n", rows.len() - LINES_OF_SEGMENTS);
    }
}

/// How many loops over segments that are reversed stand in each other: of each, all iterations run once more.
fn levels(block: &Block) -> usize {
    let of = |stmt: &Stmt| {
        let is_level = stmt.as_for().is_some_and(|each| {
            each.order == Order::Down && each.marks.segments.is_some() && !is_binomial(each)
        });
        usize::from(is_level) + stmt.blocks().into_iter().map(levels).max().unwrap_or(0)
    };
    block.iter().map(of).max().unwrap_or(0)
}

/// Whether it reverses steps whose states are kept by the binomial schedule.
fn is_binomial(each: &For) -> bool {
    let asked = each.marks.segments.map(|asked| asked.lengths);
    each.order == Order::Down && matches!(asked, Some(ir::Lengths::Binomial(_)))
}

/// How often its steps run again, all together.
fn runs(program: &Program, each: &For) -> String {
    let steps = expr(program, &each.hi);
    format!(
        "in binomial checkpoints: if there are iterations, they run again r * ({steps}) - binomial(slots + r, slots + 1) \
         + 1 times in all, with the least r for which binomial(slots + r, slots) >= {steps}"
    )
}

struct Lengths<'p> {
    program: &'p Program,
    /// The scalars by which tapes have their lengths.
    of_tapes: BufferSet,
    rows: Vec<String>,
}

impl Lengths<'_> {
    /// The scalars of the pass that a block sets; inside of loops those of tapes alone.
    fn block(&mut self, block: &Block, in_loop: bool, when: &str) {
        block.iter().for_each(|stmt| self.stmt(stmt, in_loop, when));
    }

    fn stmt(&mut self, stmt: &Stmt, in_loop: bool, when: &str) {
        let text = |of| expr(self.program, of);
        if let Some((scalar, value)) = stmt
            .as_scalar_assign()
            .filter(|(of, value)| self.is_length(*of, in_loop || value.as_usize() == Some(0)))
        {
            let row = format!("{} = {}{when}", self.program[scalar].name, text(value));
            if !self.rows.contains(&row) {
                self.rows.push(row);
            }
        } else if let Some((cond, then, _)) = stmt.as_if() {
            let when = format!(", if {}", text(cond));
            self.block(then, in_loop, &when);
        } else if let Some(each) = stmt.as_while() {
            let when = format!(", while {}", text(&each.cond));
            self.block(&each.body, in_loop, &when);
        } else if stmt.as_for().is_none_or(|each| each.order == Order::Down || each.marks.segments.is_none())
        {
            let in_loop = in_loop || stmt.is_loop();
            stmt.blocks().into_iter().for_each(|block| self.block(block, in_loop, when));
        }
    }

    fn is_length(&self, of: BufferId, in_loop: bool) -> bool {
        let it = &self.program[of];
        let is_ours =
            it.origin == "segments" && it.rank() == 0 && it.role == Role::Local && it.elem.is_usize();
        is_ours && (!in_loop || self.of_tapes.contains(of))
    }
}
