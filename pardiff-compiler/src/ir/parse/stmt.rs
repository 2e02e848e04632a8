//! Statements: one line each, and the indented lines below it.

use super::ParseError;
use super::program::Reader;
use crate::ir::print::{LEVELS, PHASES, SCHEMES};
use crate::ir::{
    BinOp, Block, BufferId, Callee, Checkpoint, Communication, Count, Derivative, Exec, Expr, ExprKind, For,
    Int, Lengths, Marks, Matrix, Message, OpaqueId, Operation, Order, Origin, Phase, Product, Provide, Rayon,
    ReduceOp, Scheme, Sort, SpanId, Stmt, StmtKind, Ty, UserArg, UserCall, UserPath, While,
};
use proc_macro2::TokenStream;

/// `checkpoint`, `checkpoint_8`, `checkpoint_states_8`, `checkpoint_memory_8`, each of them as
/// `checkpoint_8_levels_2`, and with `constant_0`, the number of a user path, in the place of a number
fn checkpoint(word: &str) -> Option<Checkpoint> {
    let (word, levels) = match word.split_once("_levels_") {
        Some((word, levels)) => (word, Some(levels.parse().ok()?)),
        None => (word, None),
    };
    let word = word.strip_prefix("checkpoint")?;
    type Kind = (&'static str, fn(Count) -> Lengths);
    let kinds: [Kind; 4] = [
        ("_states", Lengths::States),
        ("_memory", Lengths::Memory),
        ("_binomial", Lengths::Binomial),
        ("", Lengths::Every),
    ];
    let lengths = match kinds.into_iter().find_map(|(kind, of)| Some((of, word.strip_prefix(kind)?)))? {
        (_, "") => Lengths::Least,
        (of, number) => of(match number.strip_prefix("_constant_") {
            Some(id) => Count::Constant(OpaqueId(id.parse().ok()?)),
            None => Count::Number(number.strip_prefix('_')?.parse().ok()?),
        }),
    };
    Some(Checkpoint { lengths, levels })
}

impl Reader {
    /// The statements at this depth.
    pub(super) fn block(&mut self, depth: usize, around: Phase) -> Result<Block, ParseError> {
        let mut block = Block::new();
        while self.at_depth(depth) && !self.is_word("else") && !self.is_word("otherwise") {
            if self.is_word("while") || self.is_word("task") {
                break;
            }
            block.push(self.stmt(depth, around)?);
        }
        Ok(block)
    }

    fn at_depth(&self, depth: usize) -> bool {
        self.lines.get(self.line).is_some_and(|line| line.depth == depth)
    }

    fn stmt(&mut self, depth: usize, around: Phase) -> Result<Stmt, ParseError> {
        let mut kind = self.first_line()?;
        let origin = self.origin(around)?;
        self.end_of_line()?;
        let phase = origin.phase;
        match &mut kind {
            StmtKind::For(For { body, .. }) | StmtKind::Scope { body, .. } => {
                *body = self.block(depth + 1, phase)?;
            }
            StmtKind::While(while_) => {
                while_.head = self.block(depth + 1, phase)?;
                if !self.at_depth(depth + 1) {
                    return Err(self.error("`while` is expected in the loop"));
                }
                self.word("while")?;
                while_.cond = self.expr(Some(Ty::Bool))?;
                self.end_of_line()?;
                while_.body = self.block(depth + 1, phase)?;
            }
            StmtKind::If { then, els, .. } => {
                *then = self.block(depth + 1, phase)?;
                *els = self.alternative("else", depth, phase)?;
            }
            StmtKind::Guarded { then, els, .. } => {
                *then = self.block(depth + 1, phase)?;
                *els = self.alternative("otherwise", depth, phase)?;
            }
            StmtKind::Fork { tasks } => {
                while self.at_depth(depth + 1) && self.eat_word("task") {
                    self.end_of_line()?;
                    tasks.push(self.block(depth + 2, phase)?);
                }
            }
            _ => {}
        }
        Ok(Stmt::new(kind, origin))
    }

    fn alternative(&mut self, word: &str, depth: usize, phase: Phase) -> Result<Block, ParseError> {
        if !self.at_depth(depth) || !self.eat_word(word) {
            return Ok(Block::new());
        }
        self.end_of_line()?;
        self.block(depth + 1, phase)
    }

    /// `# phase number`, both optional.
    fn origin(&mut self, around: Phase) -> Result<Origin, ParseError> {
        let mut origin = Origin { stmt: 0, phase: around, span: SpanId(0) };
        if self.eat_punct("#") {
            if let Some((phase, name)) = PHASES.iter().find(|(_, name)| self.is_word(name)) {
                self.word(name)?;
                origin.phase = *phase;
            }
            if self.peek().is_some() {
                origin.stmt = self.number()?;
            }
        }
        Ok(origin)
    }

    fn first_line(&mut self) -> Result<StmtKind, ParseError> {
        let start = self.token;
        let word = match self.name() {
            Ok(word) => word,
            Err(_) => return Err(self.error("a statement is expected")),
        };
        let bool = Some(Ty::Bool);
        Ok(match word.as_str() {
            "for" => StmtKind::For(self.for_line()?),
            "loop" => {
                let name = self.name()?;
                let counter = self.iter(name, Ty::USIZE)?;
                let cond = Expr::bool(false);
                let checkpoint = match self.eat_word("marks") {
                    true => {
                        self.punct("(")?;
                        let word = self.name()?;
                        self.punct(")")?;
                        Some(checkpoint(&word).ok_or_else(|| self.error(format!("`{word}` is no mark")))?)
                    }
                    false => None,
                };
                StmtKind::While(While { counter, head: Block::new(), cond, body: Block::new(), checkpoint })
            }
            "if" => StmtKind::If { cond: self.expr(bool)?, then: Block::new(), els: Block::new() },
            "guard" => StmtKind::Guarded { fact: self.expr(bool)?, then: Block::new(), els: Block::new() },
            "scope" => {
                let usual = Some(crate::ir::Role::Local);
                let buffers = self.rest(|reader| reader.buffer(usual))?;
                StmtKind::Scope { buffers, body: Block::new() }
            }
            "swap" => {
                let a = self.buffer_name()?;
                self.punct(",")?;
                StmtKind::Swap { a, b: self.buffer_name()? }
            }
            "fork" => StmtKind::Fork { tasks: Vec::new() },
            "check" => self.check()?,
            "call" => self.call()?,
            _ => {
                self.token = start;
                self.update()?
            }
        })
    }

    fn for_line(&mut self) -> Result<For, ParseError> {
        let name = self.name()?;
        let ty = if self.eat_punct(":") { self.ty()? } else { Ty::USIZE };
        let iter = self.iter(name, ty)?;
        self.word("in")?;
        let lo = self.expr(Some(ty))?;
        let inclusive = self.eat_punct("..=");
        if !inclusive {
            self.punct("..")?;
        }
        let hi = self.expr(Some(ty))?;
        let step = if self.eat_word("step") { self.expr(Some(Ty::USIZE))? } else { Expr::usize(1) };
        let order = if self.eat_word("down") { Order::Down } else { Order::Up };
        let exec = self.exec()?;
        let mut marks = Marks::default();
        if self.eat_word("marks") {
            self.punct("(")?;
            let words = self.list(")", Reader::name)?;
            for word in words {
                match word.as_str() {
                    "parallel" => marks.parallel = true,
                    "sequential" => marks.sequential = true,
                    "rayon" => marks.rayon = Some(self.program.add_rayon(Rayon::default())),
                    "replay" => marks.provide = Some(Provide::Replay),
                    "store" => marks.provide = Some(Provide::Store),
                    word => {
                        let steps = checkpoint(word.strip_prefix("in_").unwrap_or(word));
                        let steps = steps.ok_or_else(|| self.error(format!("`{word}` is no mark")))?;
                        let of =
                            if word.starts_with("in_") { &mut marks.segments } else { &mut marks.checkpoint };
                        *of = Some(steps);
                    }
                }
            }
        }
        Ok(For { iter, lo, hi, inclusive, step, order, exec, marks, body: Block::new() })
    }

    fn exec(&mut self) -> Result<Exec, ParseError> {
        if self.eat_word("sequential") {
            return Ok(Exec::Sequential);
        }
        if self.eat_word("parallel") {
            self.punct("(")?;
            let name = self.name()?;
            let level = LEVELS.iter().find(|(_, level)| *level == name);
            let level = level.ok_or_else(|| self.error(format!("`{name}` is no level")))?;
            self.punct(")")?;
            return Ok(Exec::Parallel(level.0));
        }
        if self.eat_word("lanes") {
            self.punct("(")?;
            let block = self.number()?;
            self.punct(")")?;
            return Ok(Exec::Lanes { block });
        }
        Ok(Exec::Undecided)
    }

    /// An `Assign` or a `Reduce`.
    fn update(&mut self) -> Result<StmtKind, ParseError> {
        let target = self.place()?;
        let elem = self.program.buffers.get(target.buffer.0 as usize).map(|buffer| buffer.elem);
        if self.eat_punct("=") {
            return Ok(StmtKind::Assign { target, value: self.expr(elem)? });
        }
        let op = if self.eat_punct("+=") {
            ReduceOp::Add
        } else if self.eat_word("min") {
            self.punct("=")?;
            ReduceOp::Min
        } else if self.eat_word("max") {
            self.punct("=")?;
            ReduceOp::Max
        } else {
            return Err(self.error("`=`, `+=`, `min=` or `max=` is expected"));
        };
        let value = self.expr(elem)?;
        let mut scheme = Scheme::Undecided;
        if self.eat_punct("@") {
            let name = self.name()?;
            let known = SCHEMES.iter().find(|(_, scheme)| *scheme == name);
            scheme = known.ok_or_else(|| self.error(format!("`{name}` is no scheme")))?.0;
        }
        Ok(StmtKind::Reduce { op, target, value, scheme })
    }

    fn check(&mut self) -> Result<StmtKind, ParseError> {
        let cond = self.expr(Some(Ty::Bool))?;
        let message = if self.eat_word("index") {
            let (array, access) = (self.string()?, self.string()?);
            let (index, len) = if self.is_punct("(") {
                let [index, len] = self.operands()?;
                (index, len)
            } else if let ExprKind::Binary(BinOp::Lt, index, len) = &cond.kind {
                ((**index).clone(), (**len).clone())
            } else if self.second {
                return Err(self.error("the index and the length are expected"));
            } else {
                (cond.clone(), cond.clone())
            };
            Message::Bounds { array, access, index, len }
        } else if self.eat_word("slice") {
            let (array, access) = (self.string()?, self.string()?);
            let [start, end, len] = self.operands()?;
            Message::Slice { array, access, start, end, len }
        } else {
            Message::Text(self.string()?)
        };
        Ok(StmtKind::Check { cond, message })
    }

    /// What a message shows.
    fn operands<const N: usize>(&mut self) -> Result<[Expr; N], ParseError> {
        self.punct("(")?;
        let operands = self.list(")", |reader| reader.expr(Some(Ty::USIZE)))?;
        operands.try_into().map_err(|_| self.error(format!("{N} operands are expected")))
    }

    fn call(&mut self) -> Result<StmtKind, ParseError> {
        let callee = if self.eat_word("scan") {
            let [len] = self.sizes_of()?;
            Callee::Scan(Box::new(len))
        } else if self.eat_word("reach") {
            let [rows] = self.sizes_of()?;
            Callee::Reserve(Box::new(rows))
        } else if self.eat_word("seam") {
            Callee::Seam
        } else if self.eat_word("user") {
            Callee::User(Box::new(self.user_call()?))
        } else if self.eat_word("sort") {
            let [len, greatest] = self.sizes_of()?;
            Callee::Sort(Box::new(Sort { len, greatest }))
        } else if let Some(&(operation, ..)) = Operation::ALL.iter().find(|(_, name, _)| self.eat_word(name))
        {
            let carries = match (self.eat_word("adjoints"), self.eat_word("tangents")) {
                (true, _) => Some(Derivative::Adjoint),
                (_, true) => Some(Derivative::Tangent),
                _ => None,
            };
            self.punct("[")?;
            let operands = self.list("]", |reader| reader.expr(Some(Ty::Int(Int::I32))))?;
            let text = self.string()?;
            let elem = if self.eat_word("of") { Some(self.ty()?) } else { None };
            Callee::Communication(Box::new(Communication { operation, operands, elem, carries, text }))
        } else {
            self.word("product")?;
            return self.product();
        };
        self.word("reads")?;
        self.punct("(")?;
        let reads = self.list(")", Reader::buffer_name)?;
        self.word("writes")?;
        self.punct("(")?;
        let writes = self.list(")", Reader::buffer_name)?;
        Ok(StmtKind::Call { callee, reads, writes })
    }

    fn user_call(&mut self) -> Result<UserCall, ParseError> {
        let function = self.user_path()?;
        let mut rule = |name| if self.eat_word(name) { self.user_path().map(Some) } else { Ok(None) };
        let (vjp, jvp, vjp_jvp) = (rule("vjp")?, rule("jvp")?, rule("vjp_jvp")?);
        self.punct("(")?;
        let args = self.list(")", |reader| {
            Ok(match (reader.eat_word("shared"), reader.eat_word("mut")) {
                (true, _) => UserArg::Shared,
                (_, true) => UserArg::Mutable,
                _ => UserArg::Value(reader.expr(None)?),
            })
        })?;
        Ok(UserCall { function, vjp, jvp, vjp_jvp, args })
    }

    fn user_path(&mut self) -> Result<UserPath, ParseError> {
        let name = self.name()?;
        let path: Option<TokenStream> = name.parse().ok();
        path.map(|path| UserPath::new(&path)).ok_or_else(|| self.error("a path is expected"))
    }

    fn product(&mut self) -> Result<StmtKind, ParseError> {
        let sizes = self.sizes_of()?;
        let (to, target) = self.matrix()?;
        self.punct("+=")?;
        let (from, left) = self.matrix()?;
        self.punct("*")?;
        let (by, right) = self.matrix()?;
        self.punct("*")?;
        let scale = self.expr(self.program.buffers.get(to.0 as usize).map(|buffer| buffer.elem))?;
        let callee = Callee::Product(Box::new(Product { sizes, scale, target, left, right }));
        Ok(StmtKind::Call { callee, reads: vec![from, by, to], writes: vec![to] })
    }

    fn matrix(&mut self) -> Result<(BufferId, Matrix), ParseError> {
        let buffer = self.buffer_name()?;
        let first = self.sizes()?;
        self.word("by")?;
        let steps = [self.sizes()?, self.sizes()?];
        Ok((buffer, Matrix { first, steps }))
    }

    /// So many sizes.
    fn sizes_of<const N: usize>(&mut self) -> Result<[Expr; N], ParseError> {
        self.sizes()?.try_into().map_err(|_| self.error(format!("{N} sizes are expected")))
    }

    /// `[a, b]`, each a `usize`.
    fn sizes(&mut self) -> Result<Vec<Expr>, ParseError> {
        self.punct("[")?;
        self.list("]", |reader| reader.expr(Some(Ty::USIZE)))
    }
}
