//! An independent, naive lowering of random programs to the IR: what the front end is compared with. It trusts that
//! every access is in range, so it makes no checks, and it gives every `let` a scope of its own.

mod arrays;
mod chains;
mod loops;
mod values;

use crate::random::program::{
    Expr as Rust, Kind, Param, Place as Target, Program as Source, Shape, Size, Stmt as Line, Tail,
    Ty as RustTy,
};
use loops::jumps;
use pardiff_compiler::ir::{
    BinOp, Block, Buffer, BufferId, Exec, Expr, For, Func, Int, IterId, Layout, Marks, Opaque, Order, Origin,
    Phase, Place, Program, Role, SpanId, Stmt, StmtKind, Ty,
};
use proc_macro2::{Span, TokenStream};
use values::{matches, operator};

/// What a name stands for.
#[derive(Clone, Debug)]
enum Binding {
    Scalar(BufferId),
    Iter(IterId, Ty),
    Value(Expr),
    Array(View),
    /// An element that a chain hands out.
    Element(Place),
}

/// What jumps out of a loop clear.
#[derive(Clone, Copy)]
struct Flags {
    /// Whether the iteration goes on.
    iteration: BufferId,
    /// Whether there are more iterations.
    more: BufferId,
}

/// A part of a buffer: leading indices that are fixed, then an offset; its extents.
#[derive(Clone, Debug)]
struct View {
    base: BufferId,
    prefix: Vec<Expr>,
    offset: Option<Expr>,
    dims: Vec<Expr>,
    /// The scalar that holds the length, where it changes.
    length: Option<BufferId>,
}

/// More rounds than a generated `while` has.
const MOST_ROUNDS: usize = 9;

struct Lower<'a> {
    source: &'a Source,
    program: Program,
    names: Vec<(String, Binding)>,
    /// Scalars of the statement at hand.
    temporaries: Vec<BufferId>,
    /// The flags of the loops around.
    running: Vec<Flags>,
    /// Whether the function has not returned, and its result, where it may return early.
    returning: Option<(BufferId, BufferId)>,
}

/// The program in the IR.
pub fn lower(source: &Source) -> Program {
    let program = Program::new(&source.main.name, Span::call_site());
    let mut lower = Lower {
        source,
        program,
        names: Vec::new(),
        temporaries: Vec::new(),
        running: Vec::new(),
        returning: None,
    };
    lower.whole();
    lower.program
}

fn ty(ty: RustTy) -> Ty {
    match ty {
        RustTy::F64 => Ty::F64,
        RustTy::F32 => Ty::F32,
        RustTy::Usize => Ty::USIZE,
        RustTy::I32 => Ty::Int(Int::I32),
        RustTy::I64 => Ty::Int(Int::I64),
        RustTy::U32 => Ty::Int(Int::U32),
        RustTy::Bool => Ty::Bool,
    }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(kind, Origin { stmt: 0, phase: Phase::Primal, span: SpanId(0) })
}

fn assign(target: Place, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { target, value })
}

fn scope(buffers: Vec<BufferId>, body: Block) -> Block {
    if buffers.is_empty() { body } else { vec![stmt(StmtKind::Scope { buffers, body })] }
}

fn each(iter: IterId, hi: Expr, body: Block) -> Stmt {
    stmt(StmtKind::For(For {
        iter,
        lo: Expr::usize(0),
        hi,
        inclusive: false,
        step: Expr::usize(1),
        order: Order::Up,
        exec: Exec::Undecided,
        marks: Marks::default(),
        body,
    }))
}

impl Lower<'_> {
    fn bind(&mut self, name: &str, binding: Binding) {
        self.names.push((name.to_owned(), binding));
    }

    fn find(&self, name: &str) -> Binding {
        let found = self.names.iter().rev().find(|(known, _)| known == name);
        found.unwrap_or_else(|| panic!("{name} is not declared")).1.clone()
    }

    fn view(&self, name: &str) -> View {
        match self.find(name) {
            Binding::Array(view) => view,
            other => panic!("{name} is no array: {other:?}"),
        }
    }

    fn local(&mut self, name: &str, ty: Ty) -> BufferId {
        self.program.add_scalar(name, ty, Role::Local)
    }

    fn temporary(&mut self, ty: Ty) -> BufferId {
        let buffer = self.local("tmp", ty);
        self.temporaries.push(buffer);
        buffer
    }

    fn load(&self, buffer: BufferId) -> Expr {
        self.program.load_scalar(buffer)
    }

    fn whole(&mut self) {
        for constant in &self.source.consts {
            let elem = ty(constant.ty);
            let opaque =
                Opaque { text: constant.name.clone(), tokens: TokenStream::new(), ty: elem, range: None };
            let opaque = self.program.add_opaque(opaque);
            if constant.table {
                let next = BufferId(self.program.buffers.len() as u32);
                let dims = vec![Expr::extent(next, 0)];
                let buffer = Buffer::new(&constant.name, elem, dims.clone(), Role::Table(opaque));
                let base = self.program.add_buffer(buffer);
                self.bind(
                    &constant.name,
                    Binding::Array(View { base, prefix: vec![], offset: None, dims, length: None }),
                );
            } else {
                let kind = pardiff_compiler::ir::ExprKind::Opaque(opaque);
                self.bind(&constant.name, Binding::Value(Expr { ty: elem, kind }));
            }
        }
        let main = self.source.main.clone();
        if let Some(name) = &main.generic {
            let opaque =
                Opaque { text: name.clone(), tokens: TokenStream::new(), ty: Ty::USIZE, range: None };
            let kind = pardiff_compiler::ir::ExprKind::Opaque(self.program.add_opaque(opaque));
            self.bind(name, Binding::Value(Expr { ty: Ty::USIZE, kind }));
        }
        let mut copies = Vec::new();
        for param in &main.params {
            copies.extend(self.param(param));
        }
        let results = match &main.result {
            Tail::Unit => vec![],
            Tail::Value(value) => vec![self.program.add_scalar("result", ty(value.ty), Role::Output)],
            Tail::Tuple(values) => {
                values.iter().map(|v| self.program.add_scalar("result", ty(v.ty), Role::Output)).collect()
            }
            Tail::Array(_, elem, len) => {
                let dims = vec![Expr::usize(*len)];
                vec![self.program.add_buffer(Buffer::new("result", ty(*elem), dims, Role::Output))]
            }
        };
        self.program.results = results.clone();
        let tail = main.result.clone();
        let mut body: Block =
            copies.iter().map(|&(from, to)| assign(Place::scalar(to), self.load(from))).collect();
        let mut locals: Vec<BufferId> = copies.iter().map(|copy| copy.1).collect();
        if main.body.iter().any(|line| jumps(line).returns) {
            let goes_on = self.local("goes_on", Ty::Bool);
            locals.push(goes_on);
            body.push(assign(Place::scalar(goes_on), Expr::bool(true)));
            self.returning = Some((goes_on, results[0]));
        }
        body.extend(self.block(&main.body, |this| this.finish(&tail, &results)));
        self.program.body = scope(locals, body);
    }

    /// Declares a parameter; a scalar that is assigned is copied to a local.
    fn param(&mut self, param: &Param) -> Option<(BufferId, BufferId)> {
        let elem = ty(param.ty);
        let written = param.mutable && param.shape != Shape::Scalar;
        let role = if written { Role::InOut } else { Role::Input };
        let base = BufferId(self.program.buffers.len() as u32);
        let dims: Vec<Expr> = (0..param.dims.len())
            .map(|k| match (&param.shape, k) {
                (Shape::Slice, _) | (Shape::Rows(_), 0) => Expr::extent(base, k),
                _ => match &param.dims[k] {
                    Size::Const(len) => Expr::usize(*len),
                    Size::Named(name) => match self.find(name) {
                        Binding::Value(value) => value,
                        other => panic!("{other:?} is no constant"),
                    },
                    other => panic!("{other:?} is no constant"),
                },
            })
            .collect();
        self.program.add_buffer(Buffer::new(&param.name, elem, dims.clone(), role));
        self.program.params.push(base);
        if !dims.is_empty() {
            self.bind(
                &param.name,
                Binding::Array(View { base, prefix: vec![], offset: None, dims, length: None }),
            );
            return None;
        }
        if param.mutable && param.shape == Shape::Scalar {
            let copy = self.local(&param.name, elem);
            self.bind(&param.name, Binding::Scalar(copy));
            return Some((base, copy));
        }
        self.bind(&param.name, Binding::Scalar(base));
        None
    }

    fn finish(&mut self, tail: &Tail, results: &[BufferId]) -> Block {
        match tail {
            Tail::Unit => vec![],
            Tail::Value(value) => self.store(Place::scalar(results[0]), value),
            Tail::Tuple(values) => {
                let pairs = values.iter().zip(results);
                pairs.flat_map(|(value, &result)| self.store(Place::scalar(result), value)).collect()
            }
            Tail::Array(name, ..) => {
                let view = self.view(name);
                self.copy_rank1(
                    &View {
                        base: results[0],
                        prefix: vec![],
                        offset: None,
                        dims: view.dims.clone(),
                        length: None,
                    },
                    &view,
                )
            }
        }
    }

    /// `target = value`, with the statements that the value needs.
    fn store(&mut self, target: Place, value: &Rust) -> Block {
        self.with_temporaries(|this, before| {
            let value = this.expr(value, before);
            before.push(assign(target, value));
        })
    }

    fn with_temporaries(&mut self, fill: impl FnOnce(&mut Self, &mut Block)) -> Block {
        let saved = std::mem::take(&mut self.temporaries);
        let mut block = Vec::new();
        fill(self, &mut block);
        let mine = std::mem::replace(&mut self.temporaries, saved);
        scope(mine, block)
    }

    /// A block whose last statements are those of `finish`, inside its scopes.
    fn block(&mut self, lines: &[Line], finish: impl FnOnce(&mut Self) -> Block) -> Block {
        let names = self.names.len();
        let body = self.rest(lines, finish);
        self.names.truncate(names);
        body
    }

    fn rest(&mut self, lines: &[Line], finish: impl FnOnce(&mut Self) -> Block) -> Block {
        let Some((first, rest)) = lines.split_first() else { return finish(self) };
        let (buffers, mut body) = self.line(first);
        let found = jumps(first);
        let flag = match (self.running.last(), self.returning) {
            (Some(flags), _) if found.leaves => Some(flags.iteration),
            (None, Some((goes_on, _))) if found.returns => Some(goes_on),
            _ => None,
        };
        match flag {
            Some(flag) => {
                let then = self.rest(rest, finish);
                body.push(stmt(StmtKind::If { cond: self.load(flag), then, els: vec![] }));
            }
            None => body.extend(self.rest(rest, finish)),
        }
        scope(buffers, body)
    }

    /// A statement: the buffers that it declares for the rest of the block, and what is executed.
    fn line(&mut self, line: &Line) -> (Vec<BufferId>, Block) {
        match line {
            Line::Let { name, value, .. } => {
                let buffer = self.local(name, ty(value.ty));
                let body = self.store(Place::scalar(buffer), value);
                self.bind(name, Binding::Scalar(buffer));
                (vec![buffer], body)
            }
            Line::LetTuple { names, values } => match &values[..] {
                [Rust { kind: Kind::Call(helper, args), ty: elem }] => {
                    let buffers: Vec<BufferId> =
                        names.iter().map(|(_, name)| self.local(name, ty(*elem))).collect();
                    let targets = buffers.clone();
                    let body =
                        self.with_temporaries(|this, before| this.call(helper, args, &targets, before));
                    self.bind_all(names.iter().map(|(_, name)| name.clone()), &buffers);
                    (buffers, body)
                }
                _ => self.tuple(names.iter().map(|(_, name)| name.clone()).collect(), values),
            },
            Line::LetPair { name, values, .. } => {
                self.tuple((0..values.len()).map(|k| format!("{name}.{k}")).collect(), values)
            }
            Line::LetArray { name, start, .. } => self.array(name, start),
            Line::LetSlice { name, base, row, lo, hi, .. } => self.slice(name, base, *row, lo, hi),
            Line::While { counter, .. } => {
                let buffer = self.local(counter, Ty::USIZE);
                self.bind(counter, Binding::Scalar(buffer));
                let mut body = vec![assign(Place::scalar(buffer), Expr::usize(0))];
                body.extend(self.simple(line));
                (vec![buffer], body)
            }
            other => (vec![], self.simple(other)),
        }
    }

    fn bind_all(&mut self, names: impl Iterator<Item = String>, buffers: &[BufferId]) {
        for (name, &buffer) in names.zip(buffers) {
            self.bind(&name, Binding::Scalar(buffer));
        }
    }

    fn tuple(&mut self, names: Vec<String>, values: &[Rust]) -> (Vec<BufferId>, Block) {
        let buffers: Vec<BufferId> =
            names.iter().zip(values).map(|(name, value)| self.local(name, ty(value.ty))).collect();
        let mut body = Vec::new();
        for (&buffer, value) in buffers.iter().zip(values) {
            body.extend(self.store(Place::scalar(buffer), value));
        }
        self.bind_all(names.into_iter(), &buffers);
        (buffers, body)
    }

    fn simple(&mut self, line: &Line) -> Block {
        match line {
            Line::Assign { target, op, value } => self.with_temporaries(|this, before| {
                let place = this.target(target, before);
                let value = this.expr(value, before);
                let elem = value.ty;
                let value = match op.strip_suffix('=').unwrap_or_default() {
                    "" => value,
                    op => Expr::binary(operator(op), place.clone().load(elem), value),
                };
                before.push(assign(place, value));
            }),
            Line::For { iter, range, body } => self.looped(|this| this.for_loop(iter, range, body)),
            Line::If { cond, then, els } => self.with_temporaries(|this, before| {
                let cond = this.expr(cond, before);
                let then = this.block(then, |_| vec![]);
                let els = this.block(els, |_| vec![]);
                before.push(stmt(StmtKind::If { cond, then, els }));
            }),
            Line::Match { on, arms } => self.with_temporaries(|this, before| {
                let value = this.temporary(ty(on.ty));
                let on = this.expr(on, before);
                before.push(assign(Place::scalar(value), on));
                let mut rest = Vec::new();
                for (pattern, body) in arms.iter().rev() {
                    let then = this.block(body, |_| vec![]);
                    rest = match matches(pattern, &this.load(value)) {
                        Some(cond) => vec![stmt(StmtKind::If { cond, then, els: rest })],
                        None => then,
                    };
                }
                before.extend(rest);
            }),
            Line::Continue | Line::Break => {
                let flags = *self.running.last().unwrap_or_else(|| panic!("a jump outside of a loop"));
                let off = |flag| assign(Place::scalar(flag), Expr::bool(false));
                match line {
                    Line::Break => vec![off(flags.iteration), off(flags.more)],
                    _ => vec![off(flags.iteration)],
                }
            }
            Line::Return(value) => {
                let (goes_on, result) = self.returning.unwrap_or_else(|| panic!("no place for the result"));
                let mut body = self.store(Place::scalar(result), value);
                let around = self.running.iter().flat_map(|flags| [flags.iteration, flags.more]);
                let off = |flag| assign(Place::scalar(flag), Expr::bool(false));
                body.extend(around.chain([goes_on]).map(off));
                body
            }
            Line::Each { chain, filter, body } => {
                self.looped(|this| this.each_item(chain, filter.as_ref(), body))
            }
            Line::While { most, cond, body, .. } => self.while_loop(line, most, cond.as_ref(), body),
            Line::Block(body) => self.block(body, |_| vec![]),
            Line::Swap { array, i, j } => self.with_temporaries(|this, before| {
                let view = this.view(array);
                let elem = this.program[view.base].elem;
                let (i, j) = (this.expr(i, before), this.expr(j, before));
                let (i, j) = (view.place(vec![i]), view.place(vec![j]));
                let (a, b) = (this.temporary(elem), this.temporary(elem));
                before.push(assign(Place::scalar(a), i.clone().load(elem)));
                before.push(assign(Place::scalar(b), j.clone().load(elem)));
                before.push(assign(i, this.load(b)));
                before.push(assign(j, this.load(a)));
            }),
            Line::SwapArrays(a, b) => {
                let (a, b) = (self.view(a), self.view(b));
                let swap = stmt(StmtKind::Swap { a: a.base, b: b.base });
                if a.dims == b.dims {
                    return vec![swap];
                }
                if self.program[a.base].layout == Layout::Growing {
                    let length = |view: &View| View {
                        base: view.length.expect("an array that grows has one"),
                        prefix: vec![],
                        offset: None,
                        dims: vec![],
                        length: None,
                    };
                    let mut body = vec![swap];
                    body.extend(self.exchange(&length(&a), &length(&b)));
                    return body;
                }
                // equal extents that are written differently
                self.exchange(&a, &b)
            }
            Line::Fill { array, value } => self.filled(&self.view(array), value),
            Line::CopyFrom { to, from, .. } => {
                let (to, from) = (self.view(to), self.view(from));
                self.copy_rank1(&to, &from)
            }
            Line::CopyRow { to, i, from, j } => self.with_temporaries(|this, before| {
                let (i, j) = (this.expr(i, before), this.expr(j, before));
                let row = |mut view: View, at: Expr| {
                    view.prefix.push(at);
                    view.dims.remove(0);
                    view
                };
                let (to, from) = (row(this.view(to), i), row(this.view(from), j));
                before.extend(this.copy_rank1(&to, &from));
            }),
            Line::Push { array, value } => self.with_temporaries(|this, before| {
                let view = this.view(array);
                let value = this.expr(value, before);
                let len = view.dims[0].clone();
                before.push(assign(view.place(vec![len.clone()]), value));
                if let pardiff_compiler::ir::ExprKind::Load(place) = len.kind.clone() {
                    before.push(assign(place, len + Expr::usize(1)));
                }
            }),
            Line::Call(Rust { kind: Kind::Call(name, args), .. }) => {
                self.with_temporaries(|this, before| this.call(name, args, &[], before))
            }
            _ => vec![],
        }
    }

    fn target(&mut self, target: &Target, before: &mut Block) -> Place {
        match target {
            Target::Var(name) | Target::Deref(name) => match self.find(name) {
                Binding::Scalar(buffer) => Place::scalar(buffer),
                Binding::Element(place) => place,
                other => panic!("{name} is no scalar: {other:?}"),
            },
            Target::Index(name, index) => {
                let index = index.iter().map(|index| self.expr(index, before)).collect();
                self.view(name).place(index)
            }
        }
    }
}

impl View {
    fn place(&self, mut index: Vec<Expr>) -> Place {
        if let Some(offset) = &self.offset {
            index[0] = offset.clone() + index[0].clone();
        }
        Place::new(self.base, self.prefix.iter().cloned().chain(index).collect())
    }
}
