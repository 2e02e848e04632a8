//! Declarations and statements as text.

use super::Names;
use super::names::{paths, strays, tables};
use super::words::{LEVELS, PHASES, SCHEMES, word};
use crate::ir::{
    BinOp, Block, BufferId, Callee, Checkpoint, Count, Derivative, Exec, Expr, ExprKind, For, Int, Layout,
    Lengths, Matrix, Message, OpaqueId, Order, Phase, Product, Program, Provide, ReduceOp, Role, Scheme,
    Space, Stmt, StmtKind, Ty, UserArg, UserCall, UserPath,
};
use std::fmt::Write;

/// Lines are broken after a declaration where they would become longer.
const WIDTH: usize = 100;

struct Printer<'a> {
    program: &'a Program,
    names: &'a Names,
    full: bool,
    out: String,
}

pub(super) fn program(program: &Program, names: &Names, full: bool) -> String {
    let mut printer = Printer { program, names, full, out: String::new() };
    printer.header();
    printer.block(&program.body, 1, Phase::Primal);
    printer.out
}

pub(super) fn line(program: &Program, names: &Names, stmt: &Stmt) -> String {
    Printer { program, names, full: false, out: String::new() }.first_line(stmt, 0)
}

impl Printer<'_> {
    fn header(&mut self) {
        let program = self.program;
        let mut line = format!("fn {}(", program.name);
        let params = program.params.iter().map(|&id| self.declaration(id, None)).collect();
        self.fill(&mut line, params, "    ");
        line.push(')');
        if !program.results.is_empty() {
            line.push_str(" -> ");
            let results =
                program.results.iter().map(|&id| self.declaration(id, Some(Role::Output))).collect();
            self.fill(&mut line, results, "    ");
        }
        self.out.push_str(&line);
        self.out.push('\n');
        for id in tables(program) {
            let Role::Table(opaque) = program[id].role else { continue };
            let path = program.opaques.get(opaque.0 as usize);
            let text = path.map_or("?", |path| &path.text);
            let range = path.and_then(|path| path.range);
            let range = range.map_or(String::new(), |(least, greatest)| format!(" of {least}..={greatest}"));
            let line =
                format!("  table {} = {text:?}{range}\n", self.declaration(id, Some(program[id].role)));
            self.out.push_str(&line);
        }
        for id in strays(program) {
            let line = format!("  buffer {}\n", self.declaration(id, Some(Role::Local)));
            self.out.push_str(&line);
        }
        for id in paths(program) {
            let opaque = &program[id];
            let line = format!("  opaque {}: {} = {:?}\n", self.names.opaque(id), opaque.ty, opaque.text);
            self.out.push_str(&line);
        }
    }

    /// Appends a list, separated by commas, with line breaks where it becomes too long.
    fn fill(&self, line: &mut String, items: Vec<String>, indent: &str) {
        let mut width = line.len() - line.rfind('\n').map_or(0, |newline| newline + 1);
        for (k, item) in items.iter().enumerate() {
            if k > 0 {
                line.push(',');
                if width + item.len() + 2 > WIDTH {
                    line.push('\n');
                    line.push_str(indent);
                    width = indent.len();
                } else {
                    line.push(' ');
                    width += 2;
                }
            }
            line.push_str(item);
            width += item.len();
        }
    }

    /// `name: role elem[extents] layout space`; the role is left out where it is `usual`.
    fn declaration(&self, id: BufferId, usual: Option<Role>) -> String {
        let mut out = format!("{}: ", self.names.buffer(id));
        let Some(buffer) = self.program.buffers.get(id.0 as usize) else {
            return out + "?";
        };
        let names = self.names;
        // Writing into a string cannot fail.
        let _ = match buffer.role {
            role if Some(role) == usual => Ok(()),
            Role::Input => write!(out, "in "),
            Role::Output => write!(out, "out "),
            Role::InOut => write!(out, "inout "),
            Role::Local => write!(out, "local "),
            Role::Table(opaque) => write!(out, "table({}) ", names.opaque(opaque)),
            Role::Wire => write!(out, "wire "),
            Role::Tape => write!(out, "tape "),
            Role::Tile => write!(out, "tile "),
            Role::Adjoint(of) => write!(out, "adjoint({}) ", names.buffer(of)),
            Role::Tangent(of) => write!(out, "tangent({}) ", names.buffer(of)),
        };
        let _ = write!(out, "{}", buffer.elem);
        if !buffer.dims.is_empty() {
            let dims = buffer.dims.iter().enumerate().map(|(k, dim)| match dim.kind {
                ExprKind::Extent(of, dim) if of == id && dim == k => "_".to_owned(),
                _ => names.expr(dim, Some(Ty::USIZE)),
            });
            let _ = write!(out, "[{}]", dims.collect::<Vec<_>>().join(", "));
        }
        let _ = match &buffer.layout {
            Layout::RowMajor => Ok(()),
            Layout::Padded(multiple) => write!(out, " padded({multiple})"),
            Layout::PackedTriangular => write!(out, " triangular"),
            Layout::Growing => write!(out, " growing"),
            Layout::Reserved => write!(out, " reached"),
        };
        out.push_str(match buffer.space {
            Space::Global => "",
            Space::Thread => " thread",
            Space::Shared => " shared",
            Space::Host => " host",
        });
        out
    }

    fn block(&mut self, block: &Block, depth: usize, around: Phase) {
        for stmt in block {
            self.stmt(stmt, depth, around);
        }
    }

    fn bare_line(&mut self, depth: usize, text: &str) {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize, around: Phase) {
        let mut line = self.first_line(stmt, depth);
        let phase = stmt.origin.phase;
        // Writing into a string cannot fail.
        if self.full {
            let _ = write!(line, " # {} {}", word(&PHASES, phase), stmt.origin.stmt);
        } else if phase != around {
            let _ = write!(line, " # {}", word(&PHASES, phase));
        }
        self.bare_line(depth, &line);
        match &stmt.kind {
            StmtKind::For(For { body, .. }) | StmtKind::Scope { body, .. } => {
                self.block(body, depth + 1, phase);
            }
            StmtKind::While(while_) => {
                self.block(&while_.head, depth + 1, phase);
                let test = format!("while {}", self.names.expr(&while_.cond, Some(Ty::Bool)));
                self.bare_line(depth + 1, &test);
                self.block(&while_.body, depth + 1, phase);
            }
            StmtKind::If { then, els, .. } => {
                self.block(then, depth + 1, phase);
                if !els.is_empty() {
                    self.bare_line(depth, "else");
                    self.block(els, depth + 1, phase);
                }
            }
            StmtKind::Guarded { then, els, .. } => {
                self.block(then, depth + 1, phase);
                if !els.is_empty() {
                    self.bare_line(depth, "otherwise");
                    self.block(els, depth + 1, phase);
                }
            }
            StmtKind::Fork { tasks } => {
                for task in tasks {
                    self.bare_line(depth + 1, "task");
                    self.block(task, depth + 2, phase);
                }
            }
            _ => {}
        }
    }

    /// The line of a statement without what stands at its end and below it.
    fn first_line(&self, stmt: &Stmt, depth: usize) -> String {
        let names = self.names;
        let bool = |expr: &Expr| names.expr(expr, Some(Ty::Bool));
        let list = |ids: &[BufferId]| ids.iter().map(|&id| names.buffer(id)).collect::<Vec<_>>().join(", ");
        match &stmt.kind {
            StmtKind::For(for_) => self.for_line(for_),
            StmtKind::While(while_) => {
                let marks = while_.checkpoint.map(|it| format!(" marks({})", mark(it)));
                format!("loop {}{}", names.iter(while_.counter), marks.unwrap_or_default())
            }
            StmtKind::If { cond, .. } => format!("if {}", bool(cond)),
            StmtKind::Guarded { fact, .. } => format!("guard {}", bool(fact)),
            StmtKind::Assign { target, value } => {
                format!("{} = {}", names.place(target), names.expr(value, self.elem(target.buffer)))
            }
            StmtKind::Reduce { op, target, value, scheme } => {
                let value = names.expr(value, self.elem(target.buffer));
                let mut line = format!("{} {} {value}", names.place(target), reduce_symbol(*op));
                if *scheme != Scheme::Undecided {
                    line += &format!(" @ {}", word(&SCHEMES, *scheme));
                }
                line
            }
            StmtKind::Scope { buffers, .. } => {
                let items = buffers.iter().map(|&id| self.declaration(id, Some(Role::Local))).collect();
                let mut line = "scope ".to_owned();
                self.fill(&mut line, items, &"  ".repeat(depth + 3));
                line
            }
            StmtKind::Swap { a, b } => format!("swap {}, {}", names.buffer(*a), names.buffer(*b)),
            StmtKind::Fork { .. } => "fork".to_owned(),
            StmtKind::Check { cond, message } => {
                format!("check {} {}", bool(cond), self.message(cond, message))
            }
            StmtKind::Call { callee: Callee::Product(product), reads, .. } => self.product(product, reads),
            StmtKind::Call { callee, reads, writes } => {
                let callee = match callee {
                    Callee::Product(_) => "product".to_owned(),
                    Callee::Scan(len) => format!("scan [{}]", names.expr(len, Some(Ty::USIZE))),
                    Callee::Sort(sort) => {
                        let [len, greatest] = sort.exprs().map(|it| names.expr(it, Some(Ty::USIZE)));
                        format!("sort [{len}, {greatest}]")
                    }
                    Callee::Seam => "seam".to_owned(),
                    Callee::User(call) => self.user_call(call),
                    Callee::Communication(it) => {
                        let operands = it.operands.iter().map(|it| names.expr(it, Some(Ty::Int(Int::I32))));
                        let operands = operands.collect::<Vec<_>>().join(", ");
                        let elem = it.elem.map_or_else(String::new, |elem| format!(" of {elem}"));
                        let carries = match it.carries {
                            Some(Derivative::Adjoint) => " adjoints",
                            Some(Derivative::Tangent) => " tangents",
                            None => "",
                        };
                        format!("{}{carries} [{operands}] {:?}{elem}", it.operation.name(), it.text)
                    }
                    Callee::Reserve(rows) => format!("reach [{}]", names.expr(rows, Some(Ty::USIZE))),
                };
                format!("call {callee} reads({}) writes({})", list(reads), list(writes))
            }
        }
    }

    /// `call product [m, n, k] c[0] by [n] [1] += a[0] by [k] [1] * b[0] by [n] [1] * 1.0`, the scale last
    fn product(&self, product: &Product, reads: &[BufferId]) -> String {
        let size = |expr: &Expr| self.names.expr(expr, Some(Ty::USIZE));
        let list = |exprs: &[Expr]| format!("[{}]", exprs.iter().map(size).collect::<Vec<_>>().join(", "));
        let matrix = |(buffer, matrix): (BufferId, &Matrix)| {
            let [rows, columns] = [&matrix.steps[0], &matrix.steps[1]].map(|steps| list(steps));
            format!("{}{} by {rows} {columns}", self.names.buffer(buffer), list(&matrix.first))
        };
        let Some([target, left, right]) = product.matrices(reads) else { return "call product".to_owned() };
        let (of, sizes) = (self.elem(target.0), list(&product.sizes));
        let [target, left, right] = [target, left, right].map(matrix);
        format!("call product {sizes} {target} += {left} * {right} * {}", self.names.expr(&product.scale, of))
    }

    /// `user solve vjp solve_vjp (shared, mut, n)`
    fn user_call(&self, call: &UserCall) -> String {
        let rule = |name: &str, rule: &Option<UserPath>| {
            rule.as_ref().map_or(String::new(), |rule| format!(" {name} {rule}"))
        };
        let arg = |arg: &UserArg| match arg {
            UserArg::Shared => "shared".to_owned(),
            UserArg::Mutable => "mut".to_owned(),
            UserArg::Value(value) => self.names.expr(value, None),
        };
        let args: Vec<String> = call.args.iter().map(arg).collect();
        let (vjp, jvp) = (rule("vjp", &call.vjp), rule("jvp", &call.jvp));
        let vjp_jvp = rule("vjp_jvp", &call.vjp_jvp);
        format!("user {}{vjp}{jvp}{vjp_jvp} ({})", call.function, args.join(", "))
    }

    fn elem(&self, buffer: BufferId) -> Option<Ty> {
        self.program.buffers.get(buffer.0 as usize).map(|buffer| buffer.elem)
    }

    fn for_line(&self, for_: &For) -> String {
        let names = self.names;
        let ty = self.program.iters.get(for_.iter.0 as usize).map_or(Ty::USIZE, |iter| iter.ty);
        let mut line = format!("for {}", names.iter(for_.iter));
        if ty != Ty::USIZE {
            line += &format!(": {ty}");
        }
        let dots = if for_.inclusive { "..=" } else { ".." };
        line += &format!(" in {}{dots}{}", names.expr(&for_.lo, Some(ty)), names.expr(&for_.hi, Some(ty)));
        if for_.step != Expr::usize(1) {
            line += &format!(" step {}", names.expr(&for_.step, Some(Ty::USIZE)));
        }
        if for_.order == Order::Down {
            line += " down";
        }
        match for_.exec {
            Exec::Undecided => {}
            Exec::Sequential => line += " sequential",
            Exec::Parallel(level) => line += &format!(" parallel({})", word(&LEVELS, level)),
            Exec::Lanes { block } => line += &format!(" lanes({block})"),
        }
        let marks = [
            (for_.marks.parallel, "parallel"),
            (for_.marks.sequential, "sequential"),
            (for_.marks.rayon.is_some(), "rayon"),
            (for_.marks.provide == Some(Provide::Replay), "replay"),
            (for_.marks.provide == Some(Provide::Store), "store"),
        ];
        let mut marks: Vec<String> =
            marks.iter().filter(|(is, _)| *is).map(|(_, name)| (*name).to_owned()).collect();
        marks.extend(for_.marks.checkpoint.map(mark));
        marks.extend(for_.marks.segments.map(|checkpoint| format!("in_{}", mark(checkpoint))));
        if !marks.is_empty() {
            line += &format!(" marks({})", marks.join(", "));
        }
        line
    }

    /// What a `Check` says; the operands of a message are left out where the condition shows them.
    fn message(&self, cond: &Expr, message: &Message) -> String {
        let operands: Vec<String> =
            message.operands().iter().map(|expr| self.names.expr(expr, Some(Ty::USIZE))).collect();
        let operands = operands.join(", ");
        match message {
            Message::Text(text) => format!("{text:?}"),
            Message::Bounds { array, access, index, len } => {
                let shown = matches!(&cond.kind, ExprKind::Binary(BinOp::Lt, lhs, rhs)
                    if **lhs == *index && **rhs == *len && index.ty == Ty::USIZE);
                let rest = if shown { String::new() } else { format!(" ({operands})") };
                format!("index {array:?} {access:?}{rest}")
            }
            Message::Slice { array, access, .. } => format!("slice {array:?} {access:?} ({operands})"),
        }
    }
}

fn reduce_symbol(op: ReduceOp) -> &'static str {
    match op {
        ReduceOp::Add => "+=",
        ReduceOp::Min => "min=",
        ReduceOp::Max => "max=",
    }
}

fn mark(Checkpoint { lengths, levels }: Checkpoint) -> String {
    let number = |count| match count {
        Count::Number(number) => format!("_{number}"),
        Count::Constant(OpaqueId(id)) => format!("_constant_{id}"),
    };
    let word = match lengths {
        Lengths::Least => "checkpoint".to_owned(),
        Lengths::Every(steps) => format!("checkpoint{}", number(steps)),
        Lengths::States(states) => format!("checkpoint_states{}", number(states)),
        Lengths::Binomial(states) => format!("checkpoint_binomial{}", number(states)),
        Lengths::Memory(bytes) => format!("checkpoint_memory{}", number(bytes)),
    };
    word + &levels.map_or(String::new(), |levels| format!("_levels_{levels}"))
}
