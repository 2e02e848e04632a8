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
use crate::ir::{Block, BufferId, BufferSet, Checkpoint, Order, Program, Role, Stmt, walk};
use crate::limits::LINES_OF_SEGMENTS;

/// Writes the formulas, and how often iterations run again.
pub(super) fn lengths(program: &Program, text: &mut String) {
    let mut levels = 0;
    let mut of_tapes = BufferSet::new();
    walk(&program.body, &mut |stmt| {
        let segments = stmt.as_for().and_then(|each| each.marks.segments);
        levels = levels.max(segments.map_or(0, Checkpoint::levels));
        for &tape in stmt.declares().iter().filter(|&&it| program[it].role == Role::Tape) {
            program[tape]
                .dims
                .iter()
                .for_each(|extent| extent.reads(program, &mut |of| _ = of_tapes.insert(of)));
        }
    });
    if levels == 0 {
        return;
    }
    let mut lengths = Lengths { program, of_tapes, rows: Vec::new() };
    lengths.block(&program.body, false, "");
    let levels = match levels {
        1 => "once".to_owned(),
        levels => format!("at most {levels} times"),
    };
    *text += &format!("  in segments: an iteration runs again {levels}\n");
    let rows = lengths.rows;
    rows.iter().take(LINES_OF_SEGMENTS).for_each(|row| *text += &format!("    {row}\n"));
    if rows.len() > LINES_OF_SEGMENTS {
        *text += &format!("    and {} more\n", rows.len() - LINES_OF_SEGMENTS);
    }
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
        if let Some((scalar, value)) = stmt.as_scalar_assign().filter(|(of, _)| self.is_length(*of, in_loop))
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
