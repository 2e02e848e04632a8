//! What each construct of the IR looks like in Rust. Programs are built by hand; the expected code is written as
//! tokens, so that formatting does not matter.

mod exprs;
mod prefetch;
mod rows;
mod schedules;
mod stmts;
mod storages;
mod sums;
mod tasks;

use super::code;
use super::emitter::Emitter;
use super::names::Names;
use super::storage::Storage;
use crate::ir::{
    Block, Buffer, BufferId, Expr, For, IterId, Marks, Origin, Phase, Place, Program, Role, SpanId, Stmt,
    StmtKind, Ty,
};
use crate::ir::{Exec, Order};
use proc_macro2::{Span, TokenStream};

/// A program with the parameters `n: usize`, `s: f64`, `x: &[f64]`, `y: &mut [f64]`, `k: usize` and the iterators
/// `i: usize`, `j: u8`.
struct Fixture {
    program: Program,
    n: BufferId,
    s: BufferId,
    x: BufferId,
    y: BufferId,
    i: IterId,
    j: IterId,
}

const U8: Ty = Ty::Int(crate::ir::Int::U8);

impl Fixture {
    fn new() -> Fixture {
        let mut program = Program::new("kernel", Span::call_site());
        let n = program.add_scalar("n", Ty::USIZE, Role::Input);
        let s = program.add_scalar("s", Ty::F64, Role::Input);
        let x = BufferId(2);
        let y = BufferId(3);
        for (name, id, role) in [("x", x, Role::Input), ("y", y, Role::InOut)] {
            program.add_buffer(Buffer::new(name, Ty::F64, vec![Expr::extent(id, 0)], role));
        }
        program.params = vec![n, s, x, y];
        let i = program.add_iter("i", Ty::USIZE);
        let j = program.add_iter("j", U8);
        Fixture { program, n, s, x, y, i, j }
    }

    fn n(&self) -> Expr {
        self.program.load_scalar(self.n)
    }

    fn s(&self) -> Expr {
        self.program.load_scalar(self.s)
    }

    fn i(&self) -> Expr {
        Expr::iter(self.i, Ty::USIZE)
    }

    fn at(&self, buffer: BufferId, index: impl Into<Vec<Expr>>) -> Expr {
        Place::new(buffer, index.into()).load(self.program[buffer].elem)
    }

    fn local(&mut self, name: &str, ty: Ty) -> BufferId {
        self.program.add_scalar(name, ty, Role::Local)
    }

    /// The code of the body, with the parameters as they are in the bodies.
    fn emit(&self) -> String {
        let mut names = Names::default();
        let host = self.program.params.iter().map(|&param| {
            let buffer = &self.program[param];
            let name = names.fresh(&buffer.name);
            match buffer.rank() {
                0 => (param, Storage::Scalar { name, reference: buffer.role != Role::Input }),
                _ => (param, Storage::Host { name, fields: Default::default() }),
            }
        });
        let host = host.collect();
        super::supported::check(&self.program).unwrap_or_else(|refusal| panic!("{}", refusal.what));
        let consts = syn::Generics::default();
        let emitter = Emitter::new(&self.program, code!(rt), &consts, &mut names, host);
        let block = emitter.function(&self.program.results, &self.program.body);
        let function = code!(fn f() { #block });
        if let Err(error) = syn::parse2::<syn::ItemFn>(function.tokens()) {
            panic!("{error} in {block}");
        }
        block.to_string()
    }

    /// The code of an expression of type `f64`, assigned to `y[0]`.
    fn expr(&mut self, value: Expr) -> String {
        let ty = value.ty;
        let buffer = match ty {
            Ty::F64 => Place::new(self.y, vec![Expr::usize(0)]),
            ty => Place::scalar(self.program.add_scalar("out", ty, Role::InOut)),
        };
        if !self.program.params.contains(&buffer.buffer) {
            self.program.params.push(buffer.buffer);
        }
        let target = if ty == Ty::F64 { "y [0] = ".to_owned() } else { "* ".to_owned() };
        self.program.body = vec![assign(buffer, value)];
        let text = self.emit();
        let text = text.strip_prefix(&target).unwrap_or(&text).trim_end_matches(';').trim().to_owned();
        text.split_once(" = ").filter(|_| ty != Ty::F64).map_or(text.clone(), |(_, value)| value.to_owned())
    }
}

fn origin() -> Origin {
    Origin { stmt: 0, phase: Phase::Primal, span: SpanId(0) }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(kind, origin())
}

fn assign(target: Place, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { target, value })
}

fn scope(buffers: &[BufferId], body: Block) -> Stmt {
    stmt(StmtKind::Scope { buffers: buffers.to_vec(), body })
}

/// `for iter in lo..hi`
fn range(iter: IterId, lo: Expr, hi: Expr, body: Block) -> For {
    let (order, exec) = (Order::Up, Exec::Undecided);
    For { iter, lo, hi, inclusive: false, step: Expr::usize(1), order, exec, marks: Marks::default(), body }
}

/// Compares code, however it is formatted.
#[track_caller]
fn same(code: &str, expected: TokenStream) {
    let code: TokenStream = code.parse().unwrap_or_else(|error| panic!("{error} in {code}"));
    assert_eq!(code.to_string(), expected.to_string());
}
