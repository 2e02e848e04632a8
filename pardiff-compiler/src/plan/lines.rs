//! One line for each loop, tape buffer and summation, found by traversing the statements.

use super::words::{expr, extents, layout, place};
use crate::ir::print::Names;
use crate::ir::{
    Block, BufferId, Exec, ExprKind, For, Level, Order, Phase, Program, Provide, ReduceOp, Role, Scheme,
    Stmt, StmtKind, While,
};
use std::collections::HashMap;

/// What a line is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Loop,
    Tape,
    Summation,
}

/// A line of the plan.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) kind: Kind,
    pub(super) phase: Phase,
    /// The number of loops around it.
    pub(super) depth: usize,
    pub(super) what: String,
    pub(super) how: String,
}

/// The lines of a program, in the order of its statements.
pub(super) fn lines(program: &Program) -> Vec<Line> {
    let mut stores = HashMap::new();
    program.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| find_store(program, stmt, &mut stores)));
    let mut writer = Writer { program, names: Names::new(program), stores, lines: Vec::new() };
    writer.block(&program.body, 0);
    writer.lines
}

/// What is stored in each tape: the values as text, each once.
fn find_store(program: &Program, stmt: &Stmt, stores: &mut HashMap<BufferId, Vec<String>>) {
    if let StmtKind::Assign { target, value } = &stmt.kind
        && program[target.buffer].role == Role::Tape
    {
        let at: Vec<String> = target.index.iter().map(|index| expr(program, index)).collect();
        let what = expr(program, value);
        let text = if at.is_empty() { what } else { format!("{what} at [{}]", at.join(", ")) };
        let texts = stores.entry(target.buffer).or_default();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
}

struct Writer<'a> {
    program: &'a Program,
    names: Names,
    stores: HashMap<BufferId, Vec<String>>,
    lines: Vec<Line>,
}

impl Writer<'_> {
    fn block(&mut self, block: &Block, depth: usize) {
        block.iter().for_each(|stmt| self.stmt(stmt, depth));
    }

    fn line(&mut self, kind: Kind, phase: Phase, depth: usize, what: String, how: String) {
        self.lines.push(Line { kind, phase, depth, what, how });
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) {
        let phase = stmt.origin.phase;
        match &stmt.kind {
            StmtKind::For(each) => {
                let mut how = exec(each.exec) + marked(each);
                // a loop without a line of its own inside says what it does if that is short
                if let [Stmt { kind: StmtKind::Assign { target, value }, .. }] = each.body.as_slice() {
                    how += &format!(": {} = {}", place(self.program, target), expr(self.program, value));
                }
                self.line(Kind::Loop, phase, depth, self.loop_head(each), how);
                self.block(&each.body, depth + 1);
            }
            StmtKind::While(While { counter, head, body, .. }) => {
                let what = format!("while, counted by {}", self.program[*counter].name);
                self.line(Kind::Loop, phase, depth, what, exec(Exec::Sequential));
                self.block(head, depth + 1);
                self.block(body, depth + 1);
            }
            StmtKind::Reduce { op, target, scheme: how, .. } => {
                let symbol = match op {
                    ReduceOp::Add => "+=",
                    ReduceOp::Mul => "*=",
                    ReduceOp::Min => "min=",
                    ReduceOp::Max => "max=",
                };
                let what = format!("{} {symbol}", place(self.program, target));
                self.line(Kind::Summation, phase, depth, what, scheme(*how).to_owned());
            }
            StmtKind::Scope { buffers, body } => {
                for &buffer in buffers {
                    if self.program[buffer].role == Role::Tape {
                        self.tape(buffer, phase, depth);
                    }
                }
                self.block(body, depth);
            }
            _ => stmt.blocks().into_iter().for_each(|block| self.block(block, depth)),
        }
    }

    fn tape(&mut self, buffer: BufferId, phase: Phase, depth: usize) {
        let tape = &self.program[buffer];
        let mut how = format!("{} {}", extents(self.program, buffer), tape.elem);
        if tape.rank() > 0 {
            how += &format!(", {}", layout(self.program, tape));
        }
        match self.stores.get(&buffer) {
            Some(values) => how += &format!("; holds {}", values.join(" or ")),
            None => how += "; holds a whole array",
        }
        // tapes of one variable at several places have one name but for a number
        let name = self.names.buffer(buffer).replace('.', "_");
        self.line(Kind::Tape, phase, depth, format!("tape {name}"), how);
    }

    fn loop_head(&self, each: &For) -> String {
        let For { iter, lo, hi, inclusive, step, order, .. } = each;
        let text = |bound| expr(self.program, bound);
        let dots = if *inclusive { "..=" } else { ".." };
        let mut head = format!("for {} in {}{dots}{}", self.program[*iter].name, text(lo), text(hi));
        if step.kind != ExprKind::Int(1) {
            head += &format!(" by {}", text(step));
        }
        if *order == Order::Down {
            head += ", downwards";
        }
        head
    }
}

/// What became of the user's marks: a loop that is run in order has not been shown to be parallel.
fn marked(each: &For) -> &'static str {
    let in_order = matches!(each.exec, Exec::Undecided | Exec::Sequential);
    match (each.marks.parallel && in_order, each.marks.provide) {
        (true, _) => " (marked parallel, which this version does not check)",
        (false, Some(Provide::Replay)) => " (marked replay)",
        (false, Some(Provide::Store)) => " (marked store)",
        (false, None) => "",
    }
}

fn exec(exec: Exec) -> String {
    match exec {
        Exec::Undecided | Exec::Sequential => "sequential".to_owned(),
        Exec::Parallel(level) => {
            let by = match level {
                Level::Task => "tasks of the thread pool",
                Level::Grid => "blocks of the grid",
                Level::Block => "threads of a block",
                Level::Warp => "threads of a warp",
            };
            format!("parallel: {by}")
        }
        Exec::Lanes { block, mask: None } => format!("{block} lanes"),
        Exec::Lanes { block, mask: Some(_) } => format!("{block} lanes under a mask"),
    }
}

fn scheme(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::Undecided | Scheme::Sequential => "in order",
        Scheme::NoneNeeded => "one owner an element",
        Scheme::ScalarReduction => "chunks, merged by a fixed tree",
        Scheme::PrivateCopies => "private copies",
        Scheme::WindowCopies => "private copies of windows",
        Scheme::FactorOut => "common factor out of the sum",
        Scheme::Interchange => "loops interchanged",
        Scheme::Shift => "gathered",
        Scheme::BlockColouring => "even blocks, then odd blocks",
        Scheme::InverseIndex => "gathered by the inverse index",
        Scheme::Skew => "wavefronts",
        Scheme::TimeSegment => "wavefronts over time segments",
        Scheme::OnlineRows => "a row at a time",
        Scheme::Atomic => "atomic additions",
    }
}
