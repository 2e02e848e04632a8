//! Tasks of rayon's: `join`, and `scope` with `spawn`.
//!
//! ```text
//! join(|| a, || b)                     let p; let q; fork { p = a | q = b } (p, q)
//! scope(|s| { s.spawn(|_| a); rest })  fork { a | rest }
//! ```
//!
//! Tasks of one `fork` do not touch what another one changes: that is Rust's borrow rule.

use super::super::infer::Type;
use super::super::tree::{Block, Expr, Kind, LocalId, Pattern, Stmt};
use super::changed::changed_outside;
use super::{Name, Resolver, bare};
use syn::spanned::Spanned;

/// Functions of rayon that are not part of the language, each with what to write instead.
const OTHERS: [(&str, &str); 6] = [
    ("spawn", "write `rayon::scope(|s| { s.spawn(|_| …); })`, which ends when its tasks have"),
    ("spawn_fifo", "write `rayon::scope(|s| { s.spawn(|_| …); })`, which ends when its tasks have"),
    ("scope_fifo", "write `rayon::scope(|s| { s.spawn(|_| …); })`"),
    ("in_place_scope_fifo", "write `rayon::scope(|s| { s.spawn(|_| …); })`"),
    ("join_context", "write `rayon::join(|| …, || …)`"),
    ("broadcast", "write `(0..n).into_par_iter()`: how many threads there are is not known"),
];

impl Resolver<'_> {
    /// A call of one of rayon's functions, by its path; `None` if it is none of them.
    pub(super) fn tasks(&mut self, e: &syn::ExprCall, names: &[&str]) -> Option<Expr> {
        let is_closure = |arg: &syn::Expr| matches!(bare(arg), syn::Expr::Closure(_));
        match names {
            ["rayon", "join"] => Some(self.join_tasks(e)),
            ["join"] if e.args.len() == 2 && e.args.iter().all(is_closure) => Some(self.join_tasks(e)),
            ["rayon", "scope" | "in_place_scope"] => Some(self.scope(e)),
            ["scope" | "in_place_scope"] if e.args.len() == 1 && e.args.iter().all(is_closure) => {
                Some(self.scope(e))
            }
            ["rayon", name] => {
                let (_, help) = OTHERS.iter().find(|(other, _)| other == name)?;
                Some(self.refuse(
                    e.func.span(),
                    format!("`rayon::{name}`"),
                    "the tasks of a differentiated function are those of `join` and `scope`, which end inside of it",
                    *help,
                ))
            }
            _ => None,
        }
    }

    /// The body of a closure that a task is; a function by name is called.
    fn task(&mut self, e: &syn::Expr, arity: usize) -> Option<Expr> {
        match bare(e) {
            syn::Expr::Closure(closure) if closure.inputs.len() == arity => {
                let first = self.locals.len();
                let body = self.scoped(false, |this| {
                    if let Some(input) = closure.inputs.first() {
                        this.spawner(input);
                    }
                    this.closure_body(closure)
                });
                self.refuse_copies(closure, &body, first);
                Some(body)
            }
            syn::Expr::Path(path) if arity == 0 => {
                let call: syn::Expr = syn::parse_quote!(#path());
                Some(self.expr(&call))
            }
            other => {
                let form = if arity == 0 { "|| …" } else { "|_| …" };
                self.refuse(
                    other.span(),
                    "this task",
                    "what it does must be seen where it is started",
                    format!("write the closure where it is used: `{form}`"),
                );
                None
            }
        }
    }

    /// Refuses a `move` closure that changes variables which it has copies of, declared before `first`.
    pub(super) fn refuse_copies(&mut self, closure: &syn::ExprClosure, body: &Expr, first: LocalId) {
        if closure.capture.is_none() {
            return;
        }
        let mut found = None;
        changed_outside(body, first, &mut |local, span| {
            if !matches!(self.infer.shallow(&self.locals[local].ty), Type::Ref(..)) {
                found.get_or_insert((local, span));
            }
        });
        if let Some((local, span)) = found {
            let name = self.locals[local].name.clone();
            self.refuse(
                span,
                format!("a `move` closure that changes its copy of `{name}`"),
                format!("the variable `{name}` outside stays as it is"),
                format!("remove `move`, or declare the copy inside: `let mut own = {name};`"),
            );
        }
    }

    /// Binds the handle of a scope.
    fn spawner(&mut self, pat: &syn::Pat) {
        match pat {
            syn::Pat::Ident(pat) => self.bind(&pat.ident.to_string(), Name::Spawner),
            syn::Pat::Type(pat) => self.spawner(&pat.pat),
            _ => {}
        }
    }

    fn join_tasks(&mut self, e: &syn::ExprCall) -> Expr {
        let span = e.span();
        if e.args.len() != 2 {
            return self.refuse(
                span,
                format!("`join` of {} tasks", e.args.len()),
                "rayon's `join` takes two closures",
                "write `rayon::join(|| …, || …)`",
            );
        }
        let (Some(a), Some(b)) = (self.task(&e.args[0], 0), self.task(&e.args[1], 0)) else {
            return self.error(span);
        };
        let is_error = |task: &Expr| matches!(self.infer.shallow(&task.ty), Type::Never);
        if self.has_errors && (is_error(&a) || is_error(&b)) {
            return self.error(span);
        }
        let (mut stmts, mut tasks, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (task, name) in [(a, "first"), (b, "second")] {
            let ty = match self.infer.shallow(&task.ty) {
                Type::Never => Type::UNIT,
                other => other,
            };
            if let Type::Ref(..) = ty {
                return self.refuse(
                    task.span,
                    "a task whose value is a reference",
                    "which array it stands for would be known only at run time",
                    "return a number, a tuple or an array of constant length, or let the task write to a `&mut`",
                );
            }
            if matches!(&ty, Type::Tuple(parts) if parts.is_empty()) {
                values.push(Expr::tuple(Vec::new(), task.span));
                tasks.push(task);
                continue;
            }
            let local = self.hidden(name, ty.clone(), true, task.span);
            let value = Expr::local(local, &ty, task.span);
            stmts.push(Stmt::Let(Pattern::Bind(local), None, task.span));
            let span = task.span;
            tasks.push(Expr::effect(Kind::Assign(value.clone().boxed(), task.boxed()), span));
            values.push(value);
        }
        stmts.push(Stmt::Expr(Expr::effect(Kind::Fork(tasks), span)));
        Expr::tuple(values, span).behind(stmts, span)
    }

    fn scope(&mut self, e: &syn::ExprCall) -> Expr {
        match e.args.first() {
            Some(task) if e.args.len() == 1 => self.task(task, 1).unwrap_or_else(|| self.error(e.span())),
            _ => self.refuse(
                e.span(),
                format!("`scope` with {} arguments", e.args.len()),
                "rayon's `scope` takes one closure",
                "write `rayon::scope(|s| { s.spawn(|_| …); })`",
            ),
        }
    }

    /// Whether an expression is the handle of a scope.
    pub(super) fn is_spawner(&self, e: &syn::Expr) -> bool {
        match bare(e) {
            syn::Expr::Path(path) => path
                .path
                .get_ident()
                .is_some_and(|name| matches!(self.lookup(&name.to_string()), Some(Name::Spawner))),
            _ => false,
        }
    }

    /// `s.spawn(|_| …)`, where nothing stands beside it.
    pub(super) fn spawned(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let span = e.span();
        if e.method != "spawn" || e.args.len() != 1 {
            return self.refuse(
                span,
                format!("`{}` of a scope", e.method),
                "tasks are started by `spawn`",
                "write `s.spawn(|_| …)`",
            );
        }
        let Some(task) = self.task(&e.args[0], 1) else { return self.error(span) };
        self.unify(&task.ty, &Type::UNIT, task.span);
        task
    }

    /// If the first of the statements starts a task: that task, those started next, and what stands behind, side by side.
    /// Where the last of the statements is a value, it stands behind the tasks.
    pub(super) fn spawned_beside(&mut self, stmts: &[syn::Stmt]) -> Option<(Block, Type)> {
        let spawns = |this: &Self, stmt: &syn::Stmt| match stmt {
            syn::Stmt::Expr(syn::Expr::MethodCall(call), _) if this.is_spawner(&call.receiver) => {
                Some(call.clone())
            }
            _ => None,
        };
        let calls: Vec<syn::ExprMethodCall> = stmts.iter().map_while(|stmt| spawns(self, stmt)).collect();
        let span = calls.first()?.span();
        let mut tasks: Vec<Expr> = calls.iter().map(|call| self.spawned(call)).collect();
        let (rest, ty) = self.scoped(false, |this| this.statements_of(&stmts[calls.len()..]));
        let is_value = !matches!(self.infer.shallow(&ty), Type::Tuple(parts) if parts.is_empty());
        let mut block = Block::default();
        if is_value {
            block.tail = rest.tail;
        } else if !rest.stmts.is_empty() || rest.tail.is_some() {
            tasks.push(Expr::effect(Kind::Block(rest.clone()), span));
        }
        block.stmts.push(Stmt::Expr(Expr::effect(Kind::Fork(tasks), span)));
        if is_value {
            block.stmts.extend(rest.stmts);
        }
        Some((block, ty))
    }

    /// Whether statements start tasks, by their form.
    pub(super) fn starts_tasks(&self, block: &syn::Block) -> bool {
        struct Find<'a, 'r>(&'a Resolver<'r>, bool);
        impl crate::visit::Visit for Find<'_, '_> {
            fn visitor(&mut self) -> &mut dyn crate::visit::Visit {
                self
            }

            fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
                self.1 |= self.0.is_spawner(&call.receiver);
                crate::visit::visit_expr_method_call(self, call);
            }
        }
        let mut find = Find(self, false);
        crate::visit::Visit::visit_block(&mut find, block);
        find.1
    }
}
