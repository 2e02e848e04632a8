//! One line for each loop, tape buffer and summation, found by traversing the statements.

use super::words::{expr, extents, layout, place};
use crate::ir::has_block_loops;
use crate::ir::print::Names;
use crate::ir::{
    Block, BufferId, BufferSet, Callee, Count, Exec, ExprKind, For, Func, Grain, IterId, Lengths, Level,
    Order, Phase, Place, Program, Provide, Rayon, ReduceOp, Role, Scheme, Stmt, StmtKind, While,
};
use crate::limits::LONGEST_SHOWN_EXPRESSION;
use crate::schedule::{Decisions, Scheduled};
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
pub(super) fn lines(scheduled: &Scheduled) -> Vec<Line> {
    let Scheduled { program, decisions } = scheduled;
    let mut stores = HashMap::new();
    program.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| find_store(program, stmt, &mut stores)));
    let mut writer = Writer {
        program,
        decisions,
        names: Names::new(program),
        stores,
        task: None,
        lanes: None,
        lines: Vec::new(),
    };
    writer.block(&program.body, 0);
    writer.lines
}

/// What is stored in each tape: the values as text, each once.
fn find_store(program: &Program, stmt: &Stmt, stores: &mut HashMap<BufferId, Vec<String>>) {
    if let Some((target, value)) = stmt.as_assign()
        && program[target.buffer].role == Role::Tape
        && !matches!(&value.kind, ExprKind::Load(from) if from.buffer == target.buffer)
    {
        let at: Vec<String> = target.index.iter().map(|index| expr(program, index)).collect();
        let mut what = expr(program, value);
        if what.len() > LONGEST_SHOWN_EXPRESSION {
            what = "what is computed".to_owned();
        }
        let text = if at.is_empty() { what } else { format!("{what} at [{}]", at.join(", ")) };
        let texts = stores.entry(target.buffer).or_default();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
}

struct Writer<'a> {
    program: &'a Program,
    decisions: &'a Decisions,
    /// The task loop around.
    task: Option<IterId>,
    /// The loop over lanes around, and the variables that each of them has of its own.
    lanes: Option<(IterId, BufferSet)>,
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
                let mut how =
                    self.execution(each) + marked(self.program, each) + &segments(self.program, each);
                // a loop without a line of its own inside says what it does if that is short
                if let [Stmt { kind: StmtKind::Assign { target, value }, .. }] = each.body.as_slice() {
                    how += &format!(": {} = {}", place(self.program, target), expr(self.program, value));
                }
                self.line(Kind::Loop, phase, depth, loop_head(self.program, each), how);
                let around = (self.task, self.lanes.clone());
                match each.exec {
                    Exec::Parallel(Level::Task | Level::Grid) => self.task = Some(each.iter),
                    Exec::Lanes { .. } => self.lanes = Some((each.iter, BufferSet::new())),
                    _ => {}
                }
                self.block(&each.body, depth + 1);
                (self.task, self.lanes) = around;
            }
            StmtKind::While(While { counter, head, body, .. }) => {
                let what = format!("while, counted by {}", self.program[*counter].name);
                let how = match self.decisions.loops.get(counter) {
                    Some(why) => format!("sequential: {why}"),
                    None => exec(Exec::Sequential),
                };
                self.line(Kind::Loop, phase, depth, what, how);
                self.block(head, depth + 1);
                self.block(body, depth + 1);
            }
            StmtKind::Reduce { op, target, scheme: how, .. } => {
                let symbol = match op {
                    ReduceOp::Add => "+=",
                    ReduceOp::Min => "min=",
                    ReduceOp::Max => "max=",
                };
                let what = format!("{} {symbol}", place(self.program, target));
                let why = self.task.and_then(|task| self.decisions.sums.get(&(task, target.buffer)));
                let how = match why {
                    Some(why) => format!("{}: {why}", scheme(*how)),
                    None if self.is_of_all_lanes(target) && *how == Scheme::Sequential => {
                        "a partial sum a lane, then in order".to_owned()
                    }
                    None => scheme(*how).to_owned(),
                };
                self.line(Kind::Summation, phase, depth, what, how);
            }
            StmtKind::Call { callee: Callee::Product(product), reads, .. } => {
                let Some([(target, _), (left, _), (right, _)]) = product.matrices(reads) else { return };
                let [target, left, right] = [target, left, right].map(|it| &self.program[it].name);
                let [rows, columns, terms] = product.sizes.each_ref().map(|size| expr(self.program, size));
                let what = format!("{target} += {left} * {right}");
                let how =
                    format!("matrix product of {rows} by {columns}, sums of {terms} terms: the crate `gemm`");
                self.line(Kind::Summation, phase, depth, what, how);
            }
            StmtKind::Call { callee: Callee::Communication(it), .. } => {
                let operands = it.operands.iter().skip(1).map(|operand| expr(self.program, operand));
                let operands = operands.collect::<Vec<_>>().join(", ");
                let what = format!("{} {operands}", it.operation.name());
                let of = if phase.is_derived() { "derivative of " } else { "" };
                let how = format!("between ranks: {of}`{}`", it.text);
                self.line(Kind::Loop, phase, depth, what.trim_end().to_owned(), how);
            }
            StmtKind::Call { callee: Callee::Sort(_), reads, .. } => {
                let what = reads.first().map_or("", |&keys| &self.program[keys].name);
                self.line(Kind::Loop, phase, depth, format!("sort {what}"), "parallel: by blocks".to_owned());
            }
            StmtKind::Scope { buffers, body } => {
                for &buffer in buffers {
                    if self.program[buffer].role == Role::Tape {
                        self.tape(buffer, phase, depth);
                    }
                    if let Some((_, own)) = &mut self.lanes {
                        own.insert(buffer);
                    }
                }
                self.block(body, depth);
            }
            _ => stmt.blocks().into_iter().for_each(|block| self.block(block, depth)),
        }
    }

    /// Whether the lanes around have the element in common.
    fn is_of_all_lanes(&self, target: &Place) -> bool {
        let Some((lane, own)) = &self.lanes else { return false };
        let mut common = !own.contains(target.buffer);
        for index in &target.index {
            index.walk(&mut |expr| match &expr.kind {
                ExprKind::Iter(iter) => common &= iter != lane,
                ExprKind::Load(place) => common &= !own.contains(place.buffer),
                _ => {}
            });
        }
        common
    }

    /// How a loop is executed, and why.
    fn execution(&self, each: &For) -> String {
        let blocks = each.exec == Exec::Parallel(Level::Grid) && has_block_loops(&each.body);
        match (each.exec, self.decisions.loops.get(&each.iter)) {
            (_, None) if blocks => "parallel: a block of threads an iteration".to_owned(),
            (Exec::Undecided | Exec::Sequential, Some(why)) => format!("sequential: {why}"),
            (_, Some(how)) => how.clone(),
            (Exec::Sequential, None) if each.marks.rayon.is_some() && self.task.is_some() => {
                "sequential: inside a task".to_owned()
            }
            (how, None) => exec(how),
        }
    }

    fn tape(&mut self, buffer: BufferId, phase: Phase, depth: usize) {
        let tape = &self.program[buffer];
        let mut how = format!("{} {}", extents(self.program, buffer), tape.elem);
        if tape.rank() > 0 {
            how += &format!(", {}", layout(tape));
        }
        match self.stores.get(&buffer) {
            Some(values) => how += &format!("; holds {}", values.join(" or ")),
            None => how += "; holds a whole array",
        }
        // tapes of one variable at several places have one name but for a number
        let name = self.names.buffer(buffer).replace('.', "_");
        self.line(Kind::Tape, phase, depth, format!("tape {name}"), how);
    }
}

/// A loop as users write it.
pub(super) fn loop_head(program: &Program, each: &For) -> String {
    let For { iter, lo, hi, inclusive, step, order, .. } = each;
    let text = |bound| expr(program, bound);
    let (dots, hi) = match &hi.kind {
        // as the loop was written
        ExprKind::Call(Func::SaturatingAdd, _, parts) if parts[1].kind == ExprKind::Int(1) => {
            ("..=", &parts[0])
        }
        _ => (if *inclusive { "..=" } else { ".." }, hi),
    };
    let mut head = format!("for {} in {}{dots}{}", program[*iter].name, text(lo), text(hi));
    if step.kind != ExprKind::Int(1) {
        head += &format!(" by {}", text(step));
    }
    if *order == Order::Down {
        head += ", downwards";
    }
    head
}

/// What became of the user's marks.
fn marked(program: &Program, each: &For) -> &'static str {
    match each.marks.provide {
        Some(Provide::Replay) => " (marked replay)",
        Some(Provide::Store) => " (marked store)",
        None => match program.rayon_of(&each.marks) {
            Some(Rayon { grain: Grain::Task | Grain::Element, .. }) => " (the user's rayon tasks)",
            Some(_) => " (the user's rayon iterator)",
            None => "",
        },
    }
}

/// How long the segments of a loop over time are, and what becomes of them.
fn segments(program: &Program, each: &For) -> String {
    let asked = match each.marks.segments {
        None => return String::new(),
        Some(_) if each.order == Order::Down => {
            return "; a segment runs again from its state, fills tapes, and is reversed".to_owned();
        }
        Some(asked) => asked,
    };
    let number = |count| match count {
        Count::Number(number) => number.to_string(),
        Count::Constant(id) => program[id].text.clone(),
    };
    let length = match asked.lengths {
        Lengths::Least => "as many iterations as take the least memory".to_owned(),
        Lengths::Every(steps) => format!("{} iterations", number(steps)),
        Lengths::States(states) => {
            format!("so many iterations that there are {} states at most", number(states))
        }
        Lengths::Binomial(states) => format!("one iteration, with {} states at most", number(states)),
        Lengths::Memory(bytes) => {
            format!("none where whole tapes take at most {} bytes, or what does", number(bytes))
        }
    };
    let levels = match asked.levels() {
        1 => String::new(),
        levels => format!(", in {levels} levels at most"),
    };
    format!("; segments begin with a saved state and are long: {length}{levels} (marked checkpoint)")
}

fn exec(exec: Exec) -> String {
    match exec {
        Exec::Undecided | Exec::Sequential => "sequential".to_owned(),
        Exec::Parallel(level) => {
            let by = match level {
                Level::Task => "tasks of the thread pool",
                Level::Grid => "a thread an iteration",
                Level::Block => "threads of a block",
            };
            format!("parallel: {by}")
        }
        Exec::Lanes { block } => format!("{block} lanes"),
    }
}

pub(super) fn scheme(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::Undecided | Scheme::Sequential => "in order",
        Scheme::NoneNeeded => "one owner",
        Scheme::ScalarReduction => "scalar reduction",
        Scheme::PrivateCopies => "private copies",
        Scheme::SharedCopies => "private copies in shared memory",
        Scheme::WindowCopies => "window copies",
        Scheme::BlockColouring => "block colouring",
        Scheme::FactorOut => "common factor out of the sum",
        Scheme::Shift => "gathered",
        Scheme::InverseIndex => "gathered by the inverse index",
        Scheme::Atomic => "atomic additions, one a warp for each element",
    }
}
