//! Messages that do not wait, by the names that the crate `mpi` has for them: requests in a scope, whose end waits
//! for all.
//!
//! Rust lets nobody touch what a request sends or receives before the scope ends. So it does not matter in which
//! order and by whom requests are waited for; that each of them is, the scope counts.

use super::super::communicators::{self, BetweenRanks, SCOPE};
use super::super::display::tidy;
use super::super::infer::Type;
use super::super::tree::{Access, Block, Expr, For, Inline, Kind, LocalId, Method, Pattern, Stmt};
use super::{Resolver, bare};
use crate::ir::{Marks, Side};
use proc_macro2::Span;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// `mpi::request::scope(|scope| …)` and its like, and `WaitGuard::from(request)`.
    pub(super) fn of_requests(&mut self, names: &[&str], e: &syn::ExprCall) -> Option<Expr> {
        let span = e.span();
        let args: Vec<&syn::Expr> = e.args.iter().collect();
        match (names, &args[..]) {
            ([.., "request", "scope"], [body]) => Some(self.scope_of_requests(None, body, span)),
            ([.., "request", "multiple_scope"] | ["multiple_scope"], [reserve, body]) => {
                Some(self.scope_of_requests(Some(reserve), body, span))
            }
            ([.., "WaitGuard", "from"], [request]) => {
                let request = self.expr(request);
                Some(self.waited(request, span))
            }
            ([.., "CancelGuard", "from"], _) => Some(self.refuse(
                span,
                "a message that is cancelled",
                "whether it arrives would be known only at run time",
                "wait for it: `request.wait();`",
            )),
            ([.., "request", "wait_any"] | ["wait_any"], [_]) => Some(self.any_of(e.func.span())),
            ([.., "request", "wait_all"], [_]) => Some(self.refuse(
                e.func.span(),
                "`wait_all` of a vector of requests",
                "the crate `mpi` does not have it",
                "write `for request in requests { request.wait(); }`",
            )),
            _ => None,
        }
    }

    fn any_of(&mut self, span: Span) -> Expr {
        self.refuse(
            span,
            "a message of any request",
            "which one ends first is not the same in every run",
            "wait for each of them: `for request in requests { request.wait(); }`",
        )
    }

    fn scope_of_requests(&mut self, reserve: Option<&syn::Expr>, body: &syn::Expr, span: Span) -> Expr {
        let wanted = 1 + usize::from(reserve.is_some());
        let closure = match bare(body) {
            syn::Expr::Closure(closure) if closure.inputs.len() == wanted => closure,
            other => {
                return self.refuse(
                    other.span(),
                    "a scope of requests whose body is elsewhere",
                    "what it does must be seen where it begins",
                    "write the closure where it is used: `mpi::request::scope(|scope| { … })`",
                );
            }
        };
        self.has_requests = true;
        let mut stmts = Vec::new();
        if let Some(reserve) = reserve {
            let reserve = self.expr(reserve);
            self.unify(&Type::USIZE, &reserve.ty, reserve.span);
            stmts.push(Stmt::Let(Pattern::Wild, Some(reserve), span));
        }
        let first = self.locals.len();
        let records = [communicators::scope(), communicators::collection()];
        let handles: Vec<Type> = records.iter().take(wanted).map(|record| self.record_type(record)).collect();
        let (params, body) = self.scoped(false, |this| {
            let handles = closure.inputs.iter().zip(&handles).enumerate();
            let params = handles.map(|(at, (pat, handle))| {
                let ty = Type::Ref(at > 0, Box::new(handle.clone()));
                (this.pattern(pat, &ty), ty)
            });
            let params: Vec<(Pattern, Type)> = params.collect();
            (params, this.closure_body(closure))
        });
        self.refuse_copies(closure, &body, first);
        let values = handles.into_iter().map(|ty| Expr::new(Kind::Tuple(Vec::new()), ty, span));
        let args = values
            .zip(&params)
            .map(|(value, (_, ty))| Expr::new(Kind::Borrow(value.boxed()), ty.clone(), span));
        let args = args.collect();
        let ty = self.infer.shallow(&body.ty);
        let is_unit = matches!(&ty, Type::Never) || matches!(&ty, Type::Tuple(parts) if parts.is_empty());
        let (body, value) = match is_unit {
            true => (body, Expr::tuple(Vec::new(), span)),
            false => {
                let local = self.hidden("value", ty.clone(), true, span);
                let value = Expr::local(local, &ty, span);
                stmts.push(Stmt::Let(Pattern::Bind(local), None, span));
                (Expr::effect(Kind::Assign(value.clone().boxed(), body.boxed()), span), value)
            }
        };
        self.loop_count += 1;
        let block = Block { stmts: vec![Stmt::Expr(body)], tail: None };
        let name = "scope".to_owned();
        let inline = Inline { id: self.loop_count, name, consts: Vec::new(), params, args, body: block };
        let inline = Expr::effect(Kind::Inline(Box::new(inline)), span);
        let access = Access::default();
        stmts.push(Stmt::Expr(Expr::method(
            Method::BetweenRanks(BetweenRanks::Scope),
            vec![inline],
            &access,
            Type::UNIT,
            span,
        )));
        value.behind(stmts, span)
    }

    /// A message that begins in a scope.
    pub(super) fn started(
        &mut self,
        side: Side,
        scope: &syn::Expr,
        operands: Vec<Expr>,
        data: &syn::Expr,
        e: &syn::ExprMethodCall,
    ) -> Expr {
        let span = e.span();
        if let syn::Expr::Path(path) = bare(scope)
            && path.path.segments.last().is_some_and(|last| last.ident == "StaticScope")
        {
            self.refusals.0.push(communicators::static_scope(scope.span()));
            return self.error(span);
        }
        let scope = self.expr(scope);
        match self.infer.peel(&scope.ty) {
            Type::Record(record) if record.name == SCOPE && communicators::is_known(&record.record) => {}
            Type::Never => return self.error(span),
            _ => {
                return self.refuse(
                    scope.span,
                    "a scope of requests of another type",
                    "a message that does not wait begins in a scope",
                    "write `mpi::request::scope(|scope| { … })`",
                );
            }
        }
        let Some((data, _)) = self.buffer(data, side == Side::Received) else { return self.error(span) };
        let args = operands.into_iter().chain([data]).collect();
        let access = Access { array: String::new(), text: tidy(e) };
        let request = self.record_type(&communicators::request());
        Expr::method(Method::BetweenRanks(BetweenRanks::Begin(side)), args, &access, request, span)
    }

    fn waited(&mut self, request: Expr, span: Span) -> Expr {
        let ty = self.record_type(&communicators::request());
        self.unify(&ty, &request.ty, request.span);
        Expr::method(
            Method::BetweenRanks(BetweenRanks::Wait),
            vec![request],
            &Access::default(),
            Type::UNIT,
            span,
        )
    }

    /// A method of a request.
    pub(super) fn of_request(&mut self, e: &syn::ExprMethodCall, request: Expr, name: &str) -> Expr {
        let span = e.method.span();
        match name {
            "wait" | "wait_without_status" if e.args.is_empty() => self.waited(request, e.span()),
            "test" | "test_with_data" => self.refuse(
                span,
                format!("the method `{name}` of a request"),
                "whether the message is there would be known only at run time",
                "wait for it: `request.wait();`",
            ),
            "wait_for_data" => self.refuse(
                span,
                "the method `wait_for_data` of a request",
                "what arrives is in its buffer when the scope ends",
                "write `request.wait();`, and read the buffer behind the scope",
            ),
            _ => self.refuse(
                span,
                format!("the method `{name}` of a request"),
                "it is none of those that are differentiated",
                "wait for it: `request.wait();`",
            ),
        }
    }

    /// A method of a collection of requests.
    pub(super) fn of_collection(&mut self, e: &syn::ExprMethodCall, name: &str) -> Expr {
        let span = e.span();
        let args: Vec<&syn::Expr> = e.args.iter().collect();
        match (name, &args[..]) {
            ("add", [request]) => {
                let request = self.expr(request);
                let ty = self.record_type(&communicators::request());
                self.unify(&ty, &request.ty, request.span);
                Expr::method(
                    Method::BetweenRanks(BetweenRanks::Collect),
                    vec![request],
                    &Access::default(),
                    Type::UNIT,
                    span,
                )
            }
            ("wait_all", [result]) => {
                let result = self.expr(result);
                self.wait_for_collected(result, span)
            }
            ("wait_any" | "wait_some", _) => self.any_of(e.method.span()),
            _ => self.refuse(
                e.method.span(),
                format!("the method `{name}` of a collection of requests"),
                "whether messages are there would be known only at run time",
                "wait for all: `requests.wait_all(&mut completed);`",
            ),
        }
    }

    /// `result` gets one element for each request.
    fn wait_for_collected(&mut self, result: Expr, span: Span) -> Expr {
        let completed = self.record_type(&communicators::completed());
        let wanted = Type::Ref(true, Box::new(Type::slice(completed.clone())));
        self.unify(&wanted, &result.ty, result.span);
        let access = Access { array: "completed".to_owned(), text: "completed".to_owned() };
        let method = |method, args, ty| Expr::method(method, args, &access, ty, span);
        let var: LocalId = self.hidden("completed", Type::USIZE, false, span);
        let element = Expr::new(
            Kind::Tuple(vec![Expr::new(Kind::Int(0), super::messages::RANKS, span)]),
            completed,
            span,
        );
        let push = Stmt::Expr(method(Method::Push, vec![result.clone(), element], Type::UNIT));
        self.loop_count += 1;
        let each = For {
            id: self.loop_count,
            var: Some(var),
            name: "completed".to_owned(),
            lo: Expr::usize(0, span),
            hi: method(Method::BetweenRanks(BetweenRanks::Collected), Vec::new(), Type::USIZE),
            inclusive: false,
            adapters: Vec::new(),
            marks: Marks::default(),
            body: Block { stmts: vec![push], tail: None },
        };
        let stmts = vec![
            Stmt::Expr(method(Method::Clear, vec![result], Type::UNIT)),
            Stmt::Expr(Expr::effect(Kind::For(Box::new(each)), span)),
            Stmt::Expr(method(Method::BetweenRanks(BetweenRanks::WaitForCollected), Vec::new(), Type::UNIT)),
        ];
        Expr::tuple(Vec::new(), span).behind(stmts, span)
    }
}
