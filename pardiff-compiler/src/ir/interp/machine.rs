//! Statements.

use super::fault::{Fault, FaultKind};
use super::race::{Parallel, Races, Touch};
use super::ranks::{Rank, World};
use super::{Array, Function, Given, Limits, Number, Outcome, Value};
use crate::ir::{
    BinOp, Block, BufferId, Callee, Exec, Expr, ExprKind, Float, For, Func, Level, Message, OpaqueId, Order,
    Place, Program, ReduceOp, Role, Scheme, Stmt, StmtKind, Ty, While,
};
use std::cell::RefCell;
use std::rc::Rc;

/// The state of a run.
pub(super) struct Machine<'a, N> {
    pub(super) program: &'a Program,
    /// The buffers that are alive.
    pub(super) buffers: Vec<Option<Array<N>>>,
    pub(super) iters: Vec<Option<i128>>,
    pub(super) opaques: Vec<Option<Value<N>>>,
    pub(super) functions: Vec<Option<Function<N>>>,
    /// Statements that may still be executed.
    fuel: u64,
    /// Statements executed, the longest of the iterations of each task loop in the place of all of them.
    pub(super) span: u64,
    /// Elements that may still be allocated.
    pub(super) room: usize,
    /// What is recorded in race mode.
    pub(super) races: Option<Races>,
    /// What a seam has kept.
    kept: Vec<Array<N>>,
    /// What all ranks share, and this one.
    pub(super) world: Rc<RefCell<World<N>>>,
    pub(super) rank: Rank,
}

impl<'a, N: Number> Machine<'a, N> {
    pub(super) fn new(program: &'a Program, limits: Limits) -> Self {
        Machine {
            program,
            buffers: vec![None; program.buffers.len()],
            iters: vec![None; program.iters.len()],
            opaques: vec![None; program.opaques.len()],
            functions: vec![None; program.opaques.len()],
            fuel: limits.steps,
            span: 0,
            room: limits.elements,
            races: None,
            kept: Vec::new(),
            world: Rc::new(RefCell::new(World::new(1, false))),
            rank: Rank::default(),
        }
    }

    /// Makes parameters, tables, user paths and results alive.
    pub(super) fn bind(
        &mut self,
        args: Vec<Array<N>>,
        paths: &dyn Fn(OpaqueId) -> Option<Given<N>>,
    ) -> Result<(), Fault> {
        let program = self.program;
        if args.len() != program.params.len() {
            let (given, wanted) = (args.len(), program.params.len());
            return Err(Fault::new(
                FaultKind::Arguments,
                format!("{given} arguments for {wanted} parameters"),
            ));
        }
        for (k, slot) in self.opaques.iter_mut().enumerate() {
            match paths(OpaqueId(k as u32)) {
                Some(Given::Value(value)) if value.fits(program.opaques[k].ty) => *slot = Some(value),
                Some(Given::Value(_)) => {
                    let message = format!("the value of `{}` has the wrong type", program.opaques[k].text);
                    return Err(Fault::new(FaultKind::Arguments, message));
                }
                Some(Given::Function(function)) => self.functions[k] = Some(function),
                Some(Given::Table(_)) | None => {}
            }
        }
        let mut given: Vec<(BufferId, Array<N>)> = program.params.iter().copied().zip(args).collect();
        for (k, buffer) in program.buffers.iter().enumerate() {
            if let Role::Table(opaque) = buffer.role
                && let Some(Given::Table(array)) = paths(opaque)
            {
                given.push((BufferId(k as u32), array));
            }
        }
        let ids: Vec<BufferId> = given.iter().map(|(id, _)| *id).collect();
        for (id, array) in given {
            self.bind_array(id, array)?;
        }
        for id in ids {
            self.check_shape(id)?;
        }
        program.results.iter().try_for_each(|&id| if self.alive(id) { Ok(()) } else { self.allocate(id) })
    }

    fn bind_array(&mut self, id: BufferId, mut array: Array<N>) -> Result<(), Fault> {
        let wrong = |what: &str| {
            let name = self.program.buffers.get(id.0 as usize).map_or("?", |buffer| &buffer.name);
            Err(Fault::new(FaultKind::Arguments, format!("the argument `{name}` has the wrong {what}")))
        };
        let Some(buffer) = self.program.buffers.get(id.0 as usize) else {
            return wrong("parameter");
        };
        if array.dims.len() != buffer.rank() {
            return wrong("rank");
        }
        if !array.data.iter().flatten().all(|value| value.fits(buffer.elem)) {
            return wrong("element type");
        }
        if buffer.elem == Ty::F32 {
            for element in array.data.iter_mut().flatten() {
                if let Value::Float(number) = element {
                    *number = number.cast(Float::F32);
                }
            }
        }
        if super::store::size(&buffer.layout, &array.dims).is_some_and(|size| size != Some(array.data.len()))
        {
            return wrong("number of elements");
        }
        self.buffers[id.0 as usize] = Some(array);
        Ok(())
    }

    /// Whether the extents of an argument are those that the program says.
    fn check_shape(&self, id: BufferId) -> Result<(), Fault> {
        let buffer = &self.program[id];
        for (k, dim) in buffer.dims.iter().enumerate() {
            let wanted = self.index(dim)?;
            let given = self.buffers[id.0 as usize].as_ref().map_or(0, |array| array.dims[k]);
            if wanted != given {
                let message =
                    format!("dimension {k} of the argument `{}` is {given}, not {wanted}", buffer.name);
                return Err(Fault::new(FaultKind::Arguments, message));
            }
        }
        Ok(())
    }

    /// Statements that were executed of so many.
    pub(super) fn burnt(&self, steps: u64) -> u64 {
        steps - self.fuel
    }

    pub(super) fn finish(self) -> Outcome<N> {
        let take = |ids: &[BufferId]| -> Vec<Array<N>> {
            let get = |id: &BufferId| self.buffers[id.0 as usize].clone();
            ids.iter().map(|id| get(id).unwrap_or_else(|| Array::unspecified(&[0]))).collect()
        };
        let params = take(&self.program.params);
        let results = take(&self.program.results);
        Outcome { params, results, kept: self.kept }
    }

    pub(super) fn block(&mut self, block: &Block) -> Result<(), Fault> {
        block.iter().try_for_each(|stmt| {
            self.burn()?;
            self.stmt(stmt).map_err(|fault| fault.at(stmt.origin))
        })
    }

    pub(super) fn burn(&mut self) -> Result<(), Fault> {
        self.fuel =
            self.fuel.checked_sub(1).ok_or_else(|| Fault::new(FaultKind::OutOfFuel, "too many steps"))?;
        self.span += 1;
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), Fault> {
        match &stmt.kind {
            StmtKind::For(for_) => self.for_loop(for_),
            StmtKind::While(while_) => self.while_loop(while_),
            StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els } => {
                let arm = if self.truth(cond)? { then } else { els };
                self.block(arm)
            }
            StmtKind::Assign { target, value: Expr { kind: ExprKind::Load(from), .. } }
                if stmt.origin.phase.is_derived() || self.program[target.buffer].role == Role::Tile =>
            {
                self.copy(target, from)
            }
            StmtKind::Assign { target, value } => {
                let position = self.locate_to_write(target)?;
                let value = self.eval(value)?;
                self.touch(target.buffer, position, Touch::Write)?;
                self.write(target, position, value)
            }
            StmtKind::Reduce { op, target, value, scheme } => self.reduce(*op, target, value, *scheme),
            StmtKind::Scope { buffers, body } => self.scope(buffers, body),
            StmtKind::Swap { a, b } => {
                if !self.alive(*a) || !self.alive(*b) {
                    return Err(Fault::unsupported("a swap of a buffer outside its scope"));
                }
                if self.races.is_some() {
                    self.touch_all(*a)?;
                    self.touch_all(*b)?;
                }
                self.buffers.swap(a.0 as usize, b.0 as usize);
                Ok(())
            }
            StmtKind::Fork { tasks } => {
                if self.races.is_none() {
                    return tasks.iter().try_for_each(|task| self.block(task));
                }
                let parallel = Parallel { name: "fork".to_owned(), lanes: false, grid: false };
                let number = |k: usize| k as i128;
                self.side_by_side(parallel, tasks.len(), number, |machine, k| machine.block(&tasks[k]))
            }
            StmtKind::Check { cond, message } => {
                if self.truth(cond)? {
                    return Ok(());
                }
                Err(Fault::new(FaultKind::Check, self.message(message)?))
            }
            StmtKind::Call { callee: Callee::Product(product), reads, .. } => self.product(product, reads),
            StmtKind::Call { callee: Callee::Scan(len), writes, .. } => self.scan(len, writes),
            StmtKind::Call { callee: Callee::Sort(sort), writes, .. } => self.sort(sort, writes),
            StmtKind::Call { callee: Callee::Reserve(rows), writes, .. } => self.reach(rows, writes),
            StmtKind::Call { callee: Callee::User(call), .. } => {
                Err(Fault::new(FaultKind::Unsupported, format!("`{}` is not looked into", call.function)))
            }
            StmtKind::Call { callee: Callee::Communication(it), reads, writes } => {
                self.communication(it, reads, writes)
            }
            StmtKind::Call { callee: Callee::Seam, reads, .. } => {
                let kept = reads.iter().map(|&id| self.array(id).cloned()).collect::<Result<_, _>>()?;
                self.kept = kept;
                Ok(())
            }
        }
    }

    fn for_loop(&mut self, for_: &For) -> Result<(), Fault> {
        let lo = self.int(&for_.lo)?;
        let hi = self.int(&for_.hi)?;
        let step = self.int(&for_.step)?;
        if step <= 0 {
            return Err(Fault::new(FaultKind::Domain, "a step of zero"));
        }
        let last = if for_.inclusive { hi } else { hi.saturating_sub(1) };
        if lo > last || (!for_.inclusive && lo >= hi) {
            return Ok(());
        }
        let span = last.checked_sub(lo).ok_or_else(|| Fault::unsupported("a loop over all of i128"))?;
        let steps = span / step;
        let value = |k: i128| lo + step * if for_.order == Order::Up { k } else { steps - k };
        let iteration = |machine: &mut Self, k: i128| {
            machine.burn()?;
            *machine.iter_slot(for_)? = Some(value(k));
            machine.block(&for_.body)
        };
        match Parallel::of(for_, self.program).filter(|_| self.races.is_some()) {
            Some(parallel) => {
                let count = usize::try_from(steps)
                    .ok()
                    .filter(|&steps| steps < self.fuel as usize)
                    .ok_or_else(|| Fault::new(FaultKind::OutOfFuel, "too many iterations"))?
                    + 1;
                let number = |k: usize| value(k as i128);
                self.side_by_side(parallel, count, number, |machine, k| iteration(machine, k as i128))?;
            }
            None if for_.exec == Exec::Parallel(Level::Task) => {
                let (before, mut longest) = (self.span, self.span);
                for k in 0..=steps {
                    self.span = before;
                    iteration(self, k)?;
                    longest = longest.max(self.span);
                }
                self.span = longest;
            }
            None => (0..=steps).try_for_each(|k| iteration(self, k))?,
        }
        *self.iter_slot(for_)? = None;
        Ok(())
    }

    fn iter_slot(&mut self, for_: &For) -> Result<&mut Option<i128>, Fault> {
        self.iters
            .get_mut(for_.iter.0 as usize)
            .ok_or_else(|| Fault::unsupported("an iterator that does not exist"))
    }

    fn while_loop(&mut self, while_: &While) -> Result<(), Fault> {
        let slot = while_.counter.0 as usize;
        if slot >= self.iters.len() {
            return Err(Fault::unsupported("a counter that does not exist"));
        }
        for count in 0.. {
            self.burn()?;
            self.iters[slot] = Some(count);
            self.block(&while_.head)?;
            if !self.truth(&while_.cond)? {
                break;
            }
            self.block(&while_.body)?;
        }
        self.iters[slot] = None;
        Ok(())
    }

    fn scope(&mut self, buffers: &[BufferId], body: &Block) -> Result<(), Fault> {
        for &id in buffers {
            self.allocate(id)?;
        }
        self.block(body)?;
        for id in buffers {
            if let Some(array) = self.buffers[id.0 as usize].take() {
                self.room += array.data.len();
            }
        }
        Ok(())
    }

    fn alive(&self, id: BufferId) -> bool {
        matches!(self.buffers.get(id.0 as usize), Some(Some(_)))
    }

    /// Makes a buffer alive, its elements unspecified.
    fn allocate(&mut self, id: BufferId) -> Result<(), Fault> {
        let Some(buffer) = self.program.buffers.get(id.0 as usize) else {
            return Err(Fault::unsupported("a buffer that does not exist"));
        };
        let mut dims = Vec::with_capacity(buffer.rank());
        for (k, dim) in buffer.dims.iter().enumerate() {
            // an extent that grows
            let own = dim.kind == ExprKind::Extent(id, k);
            dims.push(if own { 0 } else { self.index(dim)? });
        }
        if buffer.layout.grows()
            && let Some(outer) = dims.first_mut()
        {
            *outer = 0;
        }
        let size = super::store::size(&buffer.layout, &dims).unwrap_or(Some(0));
        let size = size.filter(|&size| size <= self.room).ok_or_else(|| {
            Fault::new(
                FaultKind::OutOfFuel,
                format!("the extents {dims:?} of `{}` are too large", buffer.name),
            )
        })?;
        self.room -= size;
        self.buffers[id.0 as usize] = Some(Array { dims, data: vec![None; size] });
        Ok(())
    }

    pub(super) fn reduce(
        &mut self,
        op: ReduceOp,
        target: &Place,
        value: &Expr,
        scheme: Scheme,
    ) -> Result<(), Fault> {
        let position = self.locate_to_write(target)?;
        let value = self.eval(value)?;
        let touch = match scheme {
            Scheme::ScalarReduction | Scheme::PrivateCopies | Scheme::SharedCopies | Scheme::Atomic => {
                Touch::Summed(op)
            }
            _ => Touch::Update(op),
        };
        self.touch(target.buffer, position, touch)?;
        let old = self.read(target.buffer, position)?;
        let elem = self.program[target.buffer].elem;
        let new = match (op, elem) {
            (ReduceOp::Add, _) => self.binary(BinOp::Add, elem, old, value)?,
            (ReduceOp::Min, Ty::Float(_)) => self.call(Func::Min, elem, elem, &[old, value])?,
            (ReduceOp::Max, Ty::Float(_)) => self.call(Func::Max, elem, elem, &[old, value])?,
            (ReduceOp::Max, Ty::Bool) => self.binary(BinOp::BitOr, elem, old, value)?,
            (ReduceOp::Min, _) => self.call(Func::IntMin, elem, elem, &[old, value])?,
            (ReduceOp::Max, _) => self.call(Func::IntMax, elem, elem, &[old, value])?,
        };
        self.write(target, position, new)
    }

    /// What a failed check says.
    fn message(&self, message: &Message) -> Result<String, Fault> {
        Ok(match message {
            Message::Text(text) => text.clone(),
            Message::Bounds { array, access, index, len } => {
                let (index, len) = (self.int(index)?, self.int(len)?);
                format!("index {index} is out of range for `{array}` of length {len}: `{access}`")
            }
            Message::Slice { array, access, start, end, len } => {
                let (start, end, len) = (self.int(start)?, self.int(end)?, self.int(len)?);
                format!("slice {start}..{end} is out of range for `{array}` of length {len}: `{access}`")
            }
        })
    }
}
