//! The statements that the host runs, as Rust; what stands between them is done by one thread of the device.

use super::hosted::Hosted;
use super::kernel::{Kernel, Word, Written};
use super::stmt::{Cells, Site, Speaker, Writer};
use super::words::cells_name;
use crate::backend::rust::names::Names;
use crate::backend::rust::{Code, code, literal};
use crate::gpu::host::Host;
use crate::ir::{
    Block, BufferId, BufferSet, Callee, Exec, Expr, ExprKind, For, IterId, Layout, Level, Message, OpaqueId,
    Order, Program, ReduceOp, Role, Stmt, StmtKind, Ty,
};
use proc_macro2::Ident;
use std::cell::RefCell;
use std::collections::HashMap;

/// What a scalar parameter is in the generated function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Given {
    Value,
    Reference,
    /// A variable of the generated function, with what lies in a value of the host.
    Local,
}

/// The buffers of a program that are arguments, with their names; and those whose elements lie in values of the host.
pub(super) type Parameters = (Vec<(BufferId, Ident, Given)>, Vec<Hosted>);

/// Writes the code of the host, and the kernels on the way.
pub(super) struct HostWriter<'a> {
    pub(super) program: &'a Program,
    pub(super) host: &'a Host<'a>,
    pub(super) cells: &'a Cells,
    pub(super) runtime: Code,
    pub(super) function: Code,
    /// The call, as generated code names it.
    pub(super) call: Ident,
    /// Which function panics for a failed check.
    pub(super) report: Ident,
    buffers: HashMap<BufferId, Ident>,
    addresses: HashMap<BufferId, Ident>,
    iters: HashMap<IterId, Ident>,
    pub(super) paths: Vec<Ident>,
    /// What statements of the host assign or exchange.
    changed: BufferSet,
    /// Arrays whose addresses the code written so far uses.
    pub(super) addressed: RefCell<BufferSet>,
    /// Scalar parameters.
    given: HashMap<BufferId, Given>,
    /// What lies in values of the host.
    pub(super) hosted: Vec<Hosted>,
    pub(super) names: RefCell<Names>,
    pub(super) sites: RefCell<Vec<Site>>,
    /// By number.
    pub(super) kernels: RefCell<Vec<Written>>,
}

impl<'a> HostWriter<'a> {
    pub(super) fn new(
        program: &'a Program,
        host: &'a Host<'a>,
        cells: &'a Cells,
        runtime: Code,
        mut names: Names,
        report: Ident,
        (given, hosted): Parameters,
    ) -> HostWriter<'a> {
        let call = names.fresh("call");
        let mut buffers: HashMap<BufferId, Ident> =
            given.iter().map(|(id, name, _)| (*id, name.clone())).collect();
        let given = given.into_iter().map(|(id, _, given)| (id, given)).collect();
        let mut addresses = HashMap::new();
        for id in program.buffer_ids() {
            let name = buffers.entry(id).or_insert_with(|| names.fresh(&variable(program, id)));
            if program[id].rank() > 0 {
                addresses.insert(id, names.fresh(&format!("{name}_at")));
            }
        }
        let iters = (0..program.iters.len() as u32).map(|id| {
            let id = IterId(id);
            (id, names.fresh(&program[id].name))
        });
        let iters = iters.collect();
        let paths = (0..program.opaques.len()).map(|at| names.fresh(&format!("path_{at}"))).collect();
        let function = literal::string(&program.name);
        HostWriter {
            program,
            host,
            cells,
            runtime,
            function,
            call,
            report,
            buffers,
            addresses,
            iters,
            paths,
            changed: changed(program, host),
            addressed: RefCell::default(),
            given,
            hosted,
            names: RefCell::new(names),
            sites: RefCell::default(),
            kernels: RefCell::default(),
        }
    }

    pub(super) fn buffer(&self, id: BufferId) -> &Ident {
        &self.buffers[&id]
    }

    pub(super) fn address(&self, id: BufferId) -> &Ident {
        &self.addresses[&id]
    }

    pub(super) fn iter(&self, id: IterId) -> &Ident {
        &self.iters[&id]
    }

    pub(super) fn path(&self, id: OpaqueId) -> &Ident {
        &self.paths[id.0 as usize]
    }

    /// The value of a scalar of the host.
    pub(super) fn scalar(&self, id: BufferId) -> Code {
        let name = self.buffer(id);
        match self.given.get(&id) {
            Some(Given::Reference) => code!((*#name)),
            _ => code!(#name),
        }
    }

    /// Whether it is behind a reference of the caller.
    pub(super) fn is_reference(&self, id: BufferId) -> bool {
        self.given.get(&id) == Some(&Given::Reference)
    }

    /// Where a buffer lies, if that is a value of the host.
    pub(super) fn hosted(&self, id: BufferId) -> Option<&Hosted> {
        self.hosted.iter().find(|it| it.buffer == id)
    }

    pub(super) fn fresh(&self, base: &str) -> Ident {
        self.names.borrow_mut().fresh(base)
    }

    /// What the names of all kernels begin with.
    pub(super) fn prefix(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        format!("pardiff_{}", self.program.name.chars().map(plain).collect::<String>())
    }

    /// The name of the next kernel.
    pub(super) fn kernel_name(&self, what: &str) -> String {
        format!("{}_{}{what}", self.prefix(), self.kernels.borrow().len())
    }

    /// An expression that needs nothing of a kernel.
    pub(super) fn write_expr(&self, expr: &Expr) -> String {
        let mut sites = self.sites.borrow_mut();
        Writer::new(self.program, self.host, self.cells, &mut sites, String::new()).expr(expr)
    }

    /// Adds a kernel, and gives its number.
    pub(super) fn add(&self, kernel: Written) -> Code {
        let mut kernels = self.kernels.borrow_mut();
        kernels.push(kernel);
        literal::usize(kernels.len() - 1)
    }

    /// A writer of the kernel of that name.
    pub(super) fn write_kernel<R>(
        &self,
        name: String,
        write: impl FnOnce(&mut Writer<'_>) -> R,
    ) -> (Code, Kernel, R) {
        let mut sites = self.sites.borrow_mut();
        let mut writer = Writer::new(self.program, self.host, self.cells, &mut sites, name);
        let result = write(&mut writer);
        let Writer { kernel, written, sums, .. } = writer;
        let element = |word: Word| self.element(word, &sums);
        let text = kernel.text(self.program, &written, &element);
        let number = self.add(Written { name: kernel.name.clone(), words: kernel.words.len(), text });
        (number, kernel, result)
    }

    /// The type of what a word means.
    fn element(&self, word: Word, sums: &[(crate::ir::Place, ReduceOp)]) -> Ty {
        match word {
            Word::Array(id) | Word::Own(id) | Word::Scalar(id) => self.program[id].elem,
            Word::Cells(ty) => ty,
            Word::Parts(sum) => sums.get(sum).map_or(Ty::F64, |(place, _)| self.program[place.buffer].elem),
            Word::Path(id) => self.program[id].ty,
            Word::Iter(id) | Word::First(id) => self.program[id].ty,
            Word::Failed
            | Word::Extent(..)
            | Word::Count(_)
            | Word::Step(_)
            | Word::Iterations
            | Word::Many => Ty::USIZE,
        }
    }

    /// The statements of a block.
    pub(super) fn block(&self, block: &Block) -> Code {
        let mut code = Code::new();
        let mut waiting: Vec<&Stmt> = Vec::new();
        self.statements(block, &mut waiting, &mut code);
        self.one_thread(&mut waiting, &mut code);
        code
    }

    fn statements<'b>(&self, block: &'b [Stmt], waiting: &mut Vec<&'b Stmt>, code: &mut Code) {
        for stmt in block {
            if let Some(each) = stmt.as_for()
                && each.exec == Exec::Parallel(Level::Grid)
            {
                if !self.may_wait(waiting, stmt) {
                    self.one_thread(waiting, code);
                }
                code.push(self.grid(each));
                continue;
            }
            if !self.host.runs(stmt)
                || stmt.as_if().is_some() && self.is_of_device(std::slice::from_ref(stmt))
            {
                waiting.push(stmt);
                continue;
            }
            match stmt.as_scope() {
                // names are unique: a scope needs braces only where it gives memory back
                Some((buffers, body)) if buffers.iter().all(|&id| self.program[id].rank() == 0) => {
                    buffers.iter().for_each(|&id| code.push(self.declare(id)));
                    self.statements(body, waiting, code);
                }
                Some((buffers, body)) => {
                    let mut inside = Code::new();
                    self.statements(body, waiting, &mut inside);
                    self.one_thread(waiting, &mut inside);
                    let declared: Code = buffers.iter().map(|&id| self.declare(id)).collect();
                    code.push(code!({ #declared #inside }));
                }
                None => {
                    self.one_thread(waiting, code);
                    code.push(self.statement(stmt));
                }
            }
        }
    }

    fn statement(&self, stmt: &Stmt) -> Code {
        match &stmt.kind {
            StmtKind::For(each) => {
                let (name, values, body) = (self.iter(each.iter), self.values(each), self.block(&each.body));
                code!(for #name in #values { #body })
            }
            StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els } => {
                let (cond, then, els) = (self.value(cond), self.block(then), self.block(els));
                if els.is_empty() {
                    code!(if #cond { #then })
                } else {
                    code!(if #cond { #then } else { #els })
                }
            }
            StmtKind::Assign { target, value: Expr { kind: ExprKind::Load(of), .. } }
                if self.host.reads_back(stmt) =>
            {
                let (call, name, elem) =
                    (&self.call, self.buffer(target.buffer), literal::ty(self.program[target.buffer].elem));
                let (kept, at) = self.cells.of(of.buffer);
                let (cells, at) = (cells_name(kept), literal::usize(at));
                code!(#name = #call.scalar(&#cells, #at)? as #elem;)
            }
            StmtKind::Assign { target, value } => {
                let (name, value) = (self.buffer(target.buffer), self.value(value));
                code!(#name = #value;)
            }
            StmtKind::Reduce { op, target, value, .. } => {
                let (name, value) = (self.buffer(target.buffer), self.value(value));
                match op {
                    ReduceOp::Add => code!(#name += #value;),
                    ReduceOp::Min => code!(#name = #name.min(#value);),
                    ReduceOp::Max => code!(#name = #name.max(#value);),
                }
            }
            StmtKind::Swap { a, b } => {
                [a, b].into_iter().for_each(|&id| self.is_addressed(id));
                let [first, second] = [a, b].map(|&id| self.buffer(id));
                let [first_at, second_at] = [a, b].map(|&id| self.address(id));
                code! {
                    ::core::mem::swap(&mut #first, &mut #second);
                    ::core::mem::swap(&mut #first_at, &mut #second_at);
                }
            }
            StmtKind::Check { cond, message } => {
                let cond = self.value(cond);
                let panic = self.panic(message, stmt.origin.span, Speaker::Function, |at| {
                    message.operands().get(at).map_or(code!(0), |operand| {
                        let value = self.value(operand);
                        code!(#value as usize)
                    })
                });
                let (call, report) = (&self.call, &self.report);
                // what failed before on the device comes first
                code! {
                    if !#cond {
                        if let ::core::option::Option::Some((check, operands)) = #call.finish()? {
                            Self::#report(check, operands)
                        }
                        #panic
                    }
                }
            }
            StmtKind::Call { callee: Callee::Scan(len), writes, .. } => {
                let [array] = &writes[..] else { return code!() };
                let len = self.value(len);
                self.is_addressed(*array);
                let (call, at) = (&self.call, self.address(*array));
                code! {
                    // Safety: the array has so many elements.
                    unsafe { #call.scan(#at, #len)?; }
                }
            }
            StmtKind::Call { callee: Callee::Sort(sort), writes, .. } => {
                let [keys, order] = &writes[..] else { return code!() };
                let [len, greatest] = sort.exprs().map(|it| self.value(it));
                [keys, order].into_iter().for_each(|id| self.is_addressed(*id));
                let (call, keys, order) = (&self.call, self.address(*keys), self.address(*order));
                code! {
                    // Safety: both arrays have so many elements.
                    unsafe { #call.sort([#keys, #order], #len, #greatest)?; }
                }
            }
            _ => code!(),
        }
    }

    /// The panic of a check.
    pub(super) fn panic(
        &self,
        message: &Message,
        span: crate::ir::SpanId,
        speaker: Speaker,
        operand: impl Fn(usize) -> Code,
    ) -> Code {
        let (runtime, function) = (&self.runtime, &self.function);
        let line = self.program.spans.get(span.0 as usize).map_or(0, |span| span.start().line);
        let line = literal::usize(line);
        match message {
            Message::Bounds { array, access, .. } => {
                let (array, access) = (literal::string(array), literal::string(access));
                let (index, len) = (operand(0), operand(1));
                code!(#runtime::out_of_range(#function, #array, #access, #line, #index, #len))
            }
            Message::Slice { array, access, .. } => {
                let (array, access) = (literal::string(array), literal::string(access));
                let (start, end, len) = (operand(0), operand(1), operand(2));
                code!(#runtime::slice_out_of_range(#function, #array, #access, #line, [#start, #end], #len))
            }
            Message::Text(text) => {
                let text = literal::string(text);
                match speaker {
                    Speaker::Function => code!(#runtime::failed(#function, #text, #line)),
                    Speaker::Rust => code!(::core::panic!("{}", #text)),
                    Speaker::Clamp(elem) => {
                        let (least, greatest) = (operand(0), operand(1));
                        let of = literal::ty(elem);
                        let bits = if elem == Ty::F32 { code!(u32) } else { code!(u64) };
                        code! {
                            ::core::panic!(
                                "{} min = {:?}, max = {:?}",
                                #text,
                                #of::from_bits(#least as ::core::primitive::#bits),
                                #of::from_bits(#greatest as ::core::primitive::#bits)
                            )
                        }
                    }
                }
            }
        }
    }

    /// The values of the iterator of a loop of the host.
    fn values(&self, each: &For) -> Code {
        let runtime = &self.runtime;
        let (lo, hi, step) = (self.value(&each.lo), self.value(&each.hi), self.value(&each.step));
        match (each.order, each.inclusive) {
            (Order::Up, false) => code!((#lo..#hi).step_by(#step)),
            (Order::Up, true) => code!((#lo..=#hi).step_by(#step)),
            (Order::Down, false) => code!(#runtime::strided_down(#lo, #hi, #step)),
            (Order::Down, true) => code!(#runtime::strided_down_inclusive(#lo, #hi, #step)),
        }
    }

    /// A local of the host, or the memory of an array.
    fn declare(&self, id: BufferId) -> Code {
        let buffer = &self.program[id];
        let name = self.buffer(id);
        if buffer.rank() > 0 {
            // what only threads have of their own has no memory here
            if !self.addressed.borrow().contains(id) {
                return code!();
            }
            let (call, elem, len) = (&self.call, literal::ty(buffer.elem), self.elements(id));
            let (at, shown) = (self.address(id), literal::string(&buffer.name));
            // exchanged arrays change hands
            let mutable = if self.changed.contains(id) { code!(mut) } else { code!() };
            return code! {
                let #mutable #name = #call.scratch::<#elem>(#len)?;
                let #mutable #at = #call.address(&#name, #shown)?;
            };
        }
        if !self.host.has(id) {
            return code!();
        }
        let ty = literal::ty(buffer.elem);
        let zero = if buffer.elem == Ty::Bool { code!(false) } else { code!(0) };
        let mutable = if self.changed.contains(id) { code!(mut) } else { code!() };
        code!(let #mutable #name: #ty = #zero;)
    }

    /// The number of elements of an array in memory, as an `Option<usize>`.
    pub(super) fn elements(&self, id: BufferId) -> Code {
        let (runtime, buffer) = (&self.runtime, &self.program[id]);
        let extents = (0..buffer.rank()).map(|dim| self.value(&Expr::extent(id, dim)));
        let extents = code!(&[#(#extents),*]);
        match buffer.layout {
            Layout::Padded(multiple) => {
                let multiple = literal::usize(multiple);
                code!(#runtime::cuda::Call::padded(#extents, #multiple))
            }
            Layout::PackedTriangular => code!(#runtime::cuda::Call::triangles(#extents)),
            _ => code!(#runtime::cuda::Call::padded(#extents, 1)),
        }
    }

    /// The array's memory is used.
    pub(super) fn is_addressed(&self, id: BufferId) {
        self.addressed.borrow_mut().insert(id);
    }
}

/// What the variable of a buffer is called: in small letters, lest the constant of a table is meant.
fn variable(program: &Program, id: BufferId) -> String {
    match program[id].role {
        Role::Table(_) => program[id].name.to_lowercase(),
        _ => program[id].name.clone(),
    }
}

/// The buffers that statements of the host assign or exchange.
fn changed(program: &Program, host: &Host<'_>) -> BufferSet {
    let mut changed = BufferSet::new();
    program.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            let stored = stmt.as_store().map(|(target, _)| target.buffer).filter(|&buffer| host.has(buffer));
            changed.extend(stored.into_iter().chain(stmt.as_swap().into_iter().flatten()));
        });
    });
    changed
}
