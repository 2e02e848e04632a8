//! Locals that get an element for each lane.

use super::distribute::{Distribution, Group};
use crate::ir::{BufferId, BufferSet, Expr, Layout, Space, written};

impl Distribution<'_> {
    /// Gives a local an element for each lane.
    pub(super) fn expand(&mut self, buffer: BufferId) -> Result<(), String> {
        let declared = &self.program[buffer];
        if !self.lanes.locals.contains(buffer) || declared.layout != Layout::RowMajor {
            return Err(format!("`{}` cannot have an element for each lane", declared.name));
        }
        if declared.dims.iter().any(|extent| self.lanes.expr(extent)) {
            return Err(format!("the size of `{}` differs between iterations", declared.name));
        }
        self.expanded.insert(buffer);
        Ok(())
    }

    /// Declares a local around the groups, or, an array, around the loop over blocks, so that its memory is taken
    /// once. The content of a local is unspecified where its scope begins, so a longer life changes nothing; its
    /// extents must have a value there, the same, without a panic that was not there.
    pub(super) fn declare(
        &mut self,
        buffer: BufferId,
        groups: &[Group],
        always: bool,
        around: &mut Vec<BufferId>,
    ) -> Result<(), String> {
        let extents = self.program[buffer].dims.clone();
        let array = !extents.is_empty() || self.expanded.contains(buffer);
        let fixed = |expr: &Expr| self.lanes.is_invariant(self.program, expr) && (always || expr.is_total());
        let values: Vec<Expr> = extents.iter().map(|extent| self.lanes.sizes.written_out(extent)).collect();
        if array && values.iter().all(fixed) {
            self.program[buffer].space = Space::Thread;
            self.program[buffer].dims = values;
            self.hoisted.push(buffer);
            return Ok(());
        }
        let mut changed = BufferSet::new();
        if !extents.is_empty() {
            groups.iter().for_each(|group| _ = changed.union(&written(group.stmts())));
        }
        if extents.iter().any(|extent| extent.reads_any(self.program, &changed) || !extent.is_total()) {
            let name = &self.program[buffer].name;
            return Err(format!("the size of `{name}` is computed in the loop"));
        }
        around.push(buffer);
        Ok(())
    }
}
