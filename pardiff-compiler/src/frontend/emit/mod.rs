//! Phase two: typed tree to IR.
//!
//! *Comes in*: the typed tree. *Goes out*: a program. *Guarantees*: statements in the order of evaluation of Rust,
//! one `Check` an access in front of its use, every buffer inside a `Scope`, aliases replaced by accesses to the
//! array behind them. *Never*: evaluates under a condition what the source does not.

mod array;
mod as_array;
mod assign;
mod assign_array;
mod call;
mod chosen;
mod control;
mod cursor;
mod each;
mod failing;
mod flow;
mod growing_rows;
mod inline;
mod irregular;
mod lengths;
mod matching;
mod messages;
mod mixed_signs;
mod ndarray;
mod place;
mod rayon;
mod record;
mod referring;
mod reordered;
mod requests;
mod rows;
mod runtime;
mod scalar;
mod stable;
mod user_call;
mod value;

use super::Refusals;
use super::infer::{Class, Infer, Type};
use super::interface::Interface;
use super::resolve::Resolver;
use super::resolve::user_function::UserFunction;
use super::tree::{Block, Exit, Expr as Tree, Len, Local, LocalId, LoopId, OpaquePath, Target};
use crate::ir::{
    self, BufferId, Cases, Expr, Opaque, OpaqueId, Origin, Phase, Place, Program, Role, Stmt, StmtKind, Ty,
};
use crate::signature::ParamKind;
use lengths::Classes;
use proc_macro2::Span;
use std::collections::{BTreeSet, HashMap, HashSet};
use value::Value;

/// What is emitted.
pub(super) struct Source<'a> {
    pub(super) name: &'a syn::Ident,
    pub(super) interface: &'a Interface,
    pub(super) params: Vec<LocalId>,
    /// The type of each result.
    pub(super) results: Vec<Option<Type>>,
    pub(super) body: Block,
    /// What its `return`s leave.
    pub(super) id: LoopId,
}

/// Statements being emitted and the buffers of their `Scope`.
#[derive(Default)]
struct Frame {
    buffers: Vec<BufferId>,
    stmts: Vec<Stmt>,
}

/// Something around the statement being emitted that jumps may leave.
struct TargetState {
    target: Target,
    /// The frame in which its flag lives.
    base: usize,
    /// The bool that says whether it goes on, if one is needed.
    flag: Option<BufferId>,
    /// Where the value of a jump goes.
    dest: Value,
    /// Whether its value is part of a larger expression, which a jump past it would leave half evaluated.
    in_expression: bool,
}

struct Emit<'a> {
    program: Program,
    refusals: Refusals,
    infer: &'a Infer,
    locals: &'a [Local],
    paths: &'a [OpaquePath],
    user_functions: &'a [UserFunction],
    opaques: HashMap<usize, OpaqueId>,
    tables: HashMap<usize, BufferId>,
    bound: Vec<Value>,
    frames: Vec<Frame>,
    origin: Origin,
    stmt_count: u32,
    targets: Vec<TargetState>,
    /// Whether nothing follows in the innermost target.
    at_end: bool,
    /// Whether the value of what is emitted is part of a larger expression.
    in_expression: bool,
    /// Flags without which the loops over the items that are being emitted do not go on.
    stops: Vec<BufferId>,
    /// Buffers that are written once, before any use.
    immutable: HashSet<BufferId>,
    /// Variables of references that may be assigned again.
    referring: HashSet<BufferId>,
    /// Parameters with what no function changes: which variants there are beside vectors.
    variants: HashSet<BufferId>,
    /// Immutable scalars that are copies of an extent, a parameter or a constant.
    copies: HashMap<BufferId, Expr>,
    /// Extents that have been evaluated into an immutable scalar.
    extents: Vec<(Expr, BufferId)>,
    /// The length of each array that grows.
    lengths: HashMap<BufferId, BufferId>,
    /// The local that an array belongs to.
    owners: HashMap<BufferId, LocalId>,
    growing: &'a BTreeSet<LocalId>,
    /// Locals found to need a length of their own; emission then starts again.
    must_grow: BTreeSet<LocalId>,
    /// The values of immutable scalars that are lengths.
    defined: HashMap<BufferId, Expr>,
    /// Lengths found to be taken for equal, and those that are.
    alike: Classes,
    taken: Classes,
    /// The messages under way, if there are any.
    wire: Option<BufferId>,
    /// The numbers of the communicators and this rank in them.
    communicators: Vec<(BufferId, BufferId)>,
    /// Whether some message does not wait, so that all have numbers.
    has_requests: bool,
    /// The scope of requests around.
    requests: Option<requests::Requests>,
}

/// Emits a function; a second time, where that helps, for calls in which lengths are equal.
pub(super) fn emit(source: &Source<'_>, resolver: &Resolver<'_>) -> Result<Cases<Program>, Refusals> {
    let (other, growing, alike) = emit_with(source, resolver, &Classes::default())?;
    if alike.is_empty() {
        return Ok(Cases::All(other));
    }
    Ok(match emit_with(source, resolver, &alike) {
        Ok((mut like, fewer, _)) if fewer.len() < growing.len() => {
            alike.write_out(&mut like);
            Cases::Alike { cond: alike.condition(), equal: alike.equalities(), like, other }
        }
        _ => Cases::All(other),
    })
}

type Emitted = (Program, BTreeSet<LocalId>, Classes);

/// Emits a function; which of its locals have lengths that change, and which lengths should be equal.
fn emit_with(source: &Source<'_>, resolver: &Resolver<'_>, taken: &Classes) -> Result<Emitted, Refusals> {
    let mut growing = BTreeSet::new();
    let mut all = Classes::default();
    loop {
        let mut emit = Emit::new(source, resolver, &growing);
        emit.taken = taken.clone();
        emit.function(source);
        let Emit { program, refusals, must_grow, alike, .. } = emit;
        if growing.is_empty() {
            all = alike;
        }
        if must_grow.is_subset(&growing) {
            return if refusals.0.is_empty() { Ok((program, growing, all)) } else { Err(refusals) };
        }
        growing.extend(must_grow);
    }
}

impl<'a> Emit<'a> {
    fn new(source: &Source<'_>, resolver: &'a Resolver<'_>, growing: &'a BTreeSet<LocalId>) -> Emit<'a> {
        let program = Program::new(&source.name.to_string(), source.name.span());
        Emit {
            program,
            refusals: Refusals::default(),
            infer: &resolver.infer,
            locals: &resolver.locals,
            paths: &resolver.paths,
            user_functions: &resolver.user_functions,
            opaques: HashMap::new(),
            tables: HashMap::new(),
            bound: vec![Value::Unset; resolver.locals.len()],
            frames: Vec::new(),
            origin: Origin { stmt: 0, phase: Phase::Primal, span: ir::SpanId(0) },
            stmt_count: 0,
            targets: Vec::new(),
            at_end: true,
            in_expression: false,
            stops: Vec::new(),
            immutable: HashSet::new(),
            referring: HashSet::new(),
            variants: HashSet::new(),
            copies: HashMap::new(),
            extents: Vec::new(),
            lengths: HashMap::new(),
            owners: HashMap::new(),
            growing,
            must_grow: BTreeSet::new(),
            defined: HashMap::new(),
            alike: Classes::default(),
            taken: Classes::default(),
            wire: None,
            communicators: Vec::new(),
            has_requests: resolver.has_requests,
            requests: None,
        }
    }

    fn function(&mut self, source: &Source<'_>) {
        let mut leaves = self.buffers_of_interface(source);
        let params = source.interface.signature.params.iter().flat_map(|param| &param.leaves);
        self.variants = params.filter(|leaf| leaf.is_constant).map(|leaf| leaf.buffer).collect();
        let dest = match source.interface.signature.result {
            crate::signature::ResultShape::One(..) => leaves.pop().unwrap_or(Value::UNIT),
            _ => Value::Tuple(leaves),
        };
        let body = match source.interface.signature.failure {
            None => self.function_into(source, dest),
            Some(_) => self.value_of_failing(source, dest),
        };
        self.program.body = body;
        self.name_constants_of_marks();
        self.need_results();
    }

    /// Refuses an assignment to what is not changed.
    fn check_target(&mut self, target: BufferId) {
        let span = self.program[self.origin.span];
        let ir::Buffer { role, name, .. } = &self.program[target];
        if self.variants.contains(&target) {
            self.refuse_other_variant(span);
        } else if matches!(role, Role::Input | Role::Table(_)) {
            self.refuse(
                span,
                format!("an assignment to `{name}`"),
                "it is not mutable",
                "pass it as `&mut`, or copy it to a `let mut`",
            );
        }
    }

    /// The resolver numbers user paths, of which the program has those that occur.
    fn name_constants_of_marks(&mut self) {
        let mut body = std::mem::take(&mut self.program.body);
        ir::walk_mut(&mut body, &mut |stmt| {
            for id in stmt.constants_of_marks_mut() {
                *id = self.opaque(id.0 as usize, Ty::USIZE);
            }
        });
        self.program.body = body;
    }

    /// The body, whose value goes to a place.
    fn function_into(&mut self, source: &Source<'_>, dest: Value) -> ir::Block {
        let target = Target { id: source.id, exit: Exit::Out };
        self.body_with_target(target, dest.clone(), |this| {
            for (param, &local) in source.interface.params.iter().zip(&source.params) {
                if param.rebound {
                    this.rebind(local, param.host.is_by_value());
                }
            }
            this.sequence(&source.body.stmts, source.body.tail.as_deref(), &dest);
        })
    }

    /// Refuses a function that never has a value.
    fn need_results(&mut self) {
        let mut written = HashSet::new();
        for stmt in &self.program.body {
            stmt.walk(&mut |stmt| {
                if let Some((target, _)) = stmt.as_assign() {
                    written.insert(target.buffer);
                }
            });
        }
        if self.refusals.0.is_empty() && self.program.results.iter().any(|result| !written.contains(result)) {
            let span = self.program.spans[0];
            self.refuse(
                span,
                "a function that never returns a value",
                "nothing in it computes the result",
                "let the last expression be the result",
            );
        }
    }

    /// Parameters and results, numbered as the signature numbers them.
    fn buffers_of_interface(&mut self, source: &Source<'_>) -> Vec<Value> {
        let params = source.interface.signature.params.iter();
        for ((param, host), &local) in source.interface.params.iter().zip(params).zip(&source.params) {
            let role = if param.host.kind.is_output() { Role::InOut } else { Role::Input };
            let (name, mut ty) = (param.name.to_string(), self.locals[local].ty.clone());
            if matches!(param.host.kind, ParamKind::NdArray { rank: 2.., .. })
                && ndarray::is_flat(&source.body, local)
            {
                ty = Type::array(Type::Scalar(self.element_type(&ty)), Len::Axis);
            }
            self.bound[local] =
                self.interface_value(&ty, &name, &host.leaves, role, |program| &mut program.params);
            if let (ParamKind::Communicator, [which, rank, ..]) = (param.host.kind, &host.leaves[..]) {
                self.communicators.push((which.buffer, rank.buffer));
            }
        }
        let members = source.interface.signature.result.members().iter().zip(&source.results);
        let results = members.map(|(member, ty)| {
            let ty = ty.clone().unwrap_or(Type::Never);
            self.interface_value(&ty, "result", &member.leaves, Role::Output, |program| &mut program.results)
        });
        results.collect()
    }

    /// A `mut` parameter is a local that starts as the parameter.
    fn rebind(&mut self, local: LocalId, is_by_value: bool) {
        let param = self.bound[local].clone();
        let ty = self.ty(&self.locals[local].ty);
        match param {
            param if matches!(ty, Type::Ref(..)) && self.locals[local].assigned => {
                let Local { name, span, .. } = self.locals[local].clone();
                self.bound[local] = self.referring(&ty, param, &name, span);
            }
            _ if !is_by_value => {}
            Value::Place(place, ty) => {
                let buffer = self.scalar_local(&self.locals[local].name.clone(), ty);
                self.assign_scalar(buffer, place.load(ty));
                self.bound[local] = Value::Place(Place::scalar(buffer), ty);
            }
            Value::View(view) => {
                let copy = self.owned_copy(&view, &self.locals[local].name.clone(), Some(local));
                self.bound[local] = Value::View(copy);
            }
            Value::Tuple(_) => {
                let Local { name, span, .. } = self.locals[local].clone();
                self.bound[local] = self.own(&ty, param, &name, true, Some(local), span);
            }
            _ => {}
        }
    }

    // ---- statements and scopes

    /// What `run` emits, wrapped in the scopes that it opened.
    fn block(&mut self, run: impl FnOnce(&mut Self)) -> ir::Block {
        let base = self.frames.len();
        self.frames.push(Frame::default());
        run(self);
        self.close(base)
    }

    fn close(&mut self, base: usize) -> ir::Block {
        let mut block = Vec::new();
        while self.frames.len() > base {
            let Some(frame) = self.frames.pop() else { break };
            let mut stmts = frame.stmts;
            stmts.append(&mut block);
            block = if frame.buffers.is_empty() {
                stmts
            } else {
                vec![Stmt::new(StmtKind::Scope { buffers: frame.buffers, body: stmts }, self.origin)]
            };
        }
        block
    }

    fn push(&mut self, kind: StmtKind) {
        if let StmtKind::Assign { target, value } = &kind
            && self.program[target.buffer].elem != value.ty
        {
            let span = self.program[self.origin.span];
            let (have, want) = (value.ty, self.program[target.buffer].elem);
            self.refuse(
                span,
                format!("a value of type `{have}` for a variable of type `{want}`"),
                "both must have one type",
                "convert with `as`, or write the type of the variable",
            );
        }
        if let StmtKind::Assign { target, .. } = &kind {
            self.check_target(target.buffer);
        }
        let stmt = Stmt::new(kind, self.origin);
        if let Some(frame) = self.frames.last_mut() {
            frame.stmts.push(stmt);
        }
    }

    /// Runs with the origin of a new primal statement.
    fn numbered<T>(&mut self, span: Span, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.origin;
        self.stmt_count += 1;
        let span = self.program.add_span(span);
        self.origin = Origin { stmt: self.stmt_count, phase: Phase::Primal, span };
        let out = run(self);
        self.origin = outer;
        out
    }

    /// A scalar of the innermost scope.
    fn scalar_local(&mut self, name: &str, ty: Ty) -> BufferId {
        let buffer = self.program.add_scalar(name, ty, Role::Local);
        if let Some(frame) = self.frames.last_mut() {
            frame.buffers.push(buffer);
        }
        buffer
    }

    fn assign_scalar(&mut self, buffer: BufferId, value: Expr) {
        self.push(StmtKind::Assign { target: Place::scalar(buffer), value });
    }

    /// A new scalar that holds the value from here on.
    fn snapshot(&mut self, name: &str, value: Expr) -> Expr {
        let buffer = self.scalar_local(name, value.ty);
        self.immutable.insert(buffer);
        if self.is_fixed(&value) {
            self.copies.insert(buffer, value.clone());
        }
        self.define(buffer, &value);
        let ty = value.ty;
        self.assign_scalar(buffer, value);
        Place::scalar(buffer).load(ty)
    }

    /// Remembers the value of an immutable scalar that may be a length.
    fn define(&mut self, buffer: BufferId, value: &Expr) {
        if value.ty == Ty::USIZE {
            self.defined.insert(buffer, value.clone());
        }
    }

    fn refuse(
        &mut self,
        span: Span,
        what: impl Into<String>,
        why: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.refusals.push(span, what, why, help);
    }

    // ---- types and constants

    fn ty(&self, ty: &Type) -> Type {
        self.infer.resolve(ty)
    }

    /// The scalar type behind references; a literal's default where nothing fixed it.
    fn scalar_type(&mut self, e: &Tree) -> Ty {
        match self.infer.peel(&e.ty) {
            Type::Scalar(ty) => ty,
            Type::Var(_) => match self.infer.class(&e.ty) {
                Class::Int => Ty::Int(ir::Int::I32),
                _ => Ty::F64,
            },
            _ => Ty::F64,
        }
    }

    /// A constant expression: an array length or a const generic.
    fn constant(&mut self, e: &Tree) -> Expr {
        let base = self.frames.len();
        self.frames.push(Frame::default());
        let value = self.scalar(e);
        let stmts = self.close(base);
        if !stmts.is_empty() {
            self.refuse(
                e.span,
                "the length of an array",
                "it is not a plain constant expression",
                "name it: `const N: usize = …;`",
            );
        }
        value
    }

    /// The IR's name of a user path.
    fn opaque(&mut self, path: usize, ty: Ty) -> OpaqueId {
        if let Some(&id) = self.opaques.get(&path) {
            return id;
        }
        let OpaquePath { text, tokens, range, .. } = self.paths[path].clone();
        let id = self.program.add_opaque(Opaque { text, tokens, ty, range });
        self.opaques.insert(path, id);
        id
    }
}

/// The lengths of an array type, outermost first.
fn lens_of(infer: &Infer, ty: &Type) -> Vec<Len> {
    let mut lens = Vec::new();
    let mut ty = infer.peel(ty);
    while let Type::Array(elem, len) = ty {
        lens.push(len);
        ty = infer.peel(&elem);
    }
    lens
}
