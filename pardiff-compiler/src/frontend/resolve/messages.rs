//! Operations between ranks, by the names that the crate `mpi` has for them.

use super::super::communicators::{
    self, BetweenRanks, COLLECTION, COMMUNICATOR, PROCESS, RANK, REQUEST, SIZE, SIZE_AROUND, Sides,
    THIS_RANK, WHICH,
};
use super::super::display::tidy;
use super::super::infer::Type;
use super::super::tree::{Access, Expr, Kind, Method, Pattern, Stmt};
use super::messages_of_parts::tag_of_parts;
use super::{Resolver, bare};
use crate::ir::{Operation, ReduceOp, Scan, Side, Sweep, Ty};
use proc_macro2::Span;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// A method of a communicator, or of a rank of one.
    pub(super) fn message(&mut self, e: &syn::ExprMethodCall, receiver: &Expr, name: &str) -> Option<Expr> {
        let Type::Record(record) = self.infer.peel(&receiver.ty) else { return None };
        if !communicators::is_known(&record.record) {
            return None;
        }
        match record.name.to_string().as_str() {
            COMMUNICATOR => Some(self.of_communicator(e, receiver.clone(), name)),
            PROCESS => Some(self.of_process(e, receiver.clone(), name)),
            REQUEST => Some(self.of_request(e, receiver.clone(), name)),
            COLLECTION => Some(self.of_collection(e, name)),
            _ => None,
        }
    }

    fn of_communicator(&mut self, e: &syn::ExprMethodCall, on: Expr, name: &str) -> Expr {
        let span = e.span();
        let on = self.dereferenced(on);
        let number = |at| on.member(at, &RANKS, span);
        let which = number(WHICH);
        let args: Vec<&syn::Expr> = e.args.iter().collect();
        match (name, &args[..]) {
            ("rank", []) => number(RANK),
            ("size", []) => number(SIZE),
            ("as_communicator", []) => on,
            ("this_process", []) => self.process(&on, number(RANK), span),
            ("process_at_rank", [rank]) => {
                let rank = self.expr(rank);
                self.unify(&RANKS, &rank.ty, rank.span);
                self.process(&on, rank, span)
            }
            ("barrier", []) => self.operation(Operation::Barrier, Sides::Neither, vec![which], &[], e),
            ("all_reduce_into", [send, receive, op]) => match self.reduction(op) {
                Some(op) => {
                    let all = [*send, *receive];
                    self.operation(Operation::AllReduce(op), Sides::Both, vec![which], &all, e)
                }
                None => self.error(span),
            },
            ("all_gather_into", [send, receive]) => {
                self.operation(Operation::AllGather, Sides::Both, vec![which], &[send, receive], e)
            }
            ("reduce_scatter_block_into", [send, receive, op]) => match self.reduction(op) {
                Some(ReduceOp::Add) => {
                    self.operation(Operation::ReduceScatter, Sides::Both, vec![which], &[send, receive], e)
                }
                Some(_) => self.refuse(
                    op.span(),
                    "blocks of the smallest or the largest numbers of all ranks",
                    "blocks are scattered of sums alone",
                    "write `all_reduce_into`, and take the part of this rank",
                ),
                None => self.error(span),
            },
            ("all_to_all_into", [send, receive]) => {
                self.operation(Operation::AllToAll, Sides::Both, vec![which], &[send, receive], e)
            }
            ("scan_into" | "exclusive_scan_into", [send, receive, op]) => match self.reduction(op) {
                Some(ReduceOp::Add) => {
                    let scan = if name == "scan_into" { Scan::Inclusive } else { Scan::Exclusive };
                    let operation = Operation::Scan(scan, Sweep::Forward);
                    self.operation(operation, Sides::Both, vec![which], &[send, receive], e)
                }
                Some(_) => self.refuse(
                    op.span(),
                    "a scan of the smallest or the largest numbers",
                    "scans are of sums alone",
                    "write `all_gather_into`, and take the smallest or the largest up to this rank",
                ),
                None => self.error(span),
            },
            ("all_gather_varcount_into", [send, parts]) => self.all_gather_of_parts(e, send, parts),
            ("all_to_all_varcount_into", [send, parts]) => self.all_to_all_of_parts(e, send, parts),
            _ => self.no_message(name, "communicator", e.method.span()),
        }
    }

    fn of_process(&mut self, e: &syn::ExprMethodCall, of: Expr, name: &str) -> Expr {
        let span = e.span();
        let of = self.dereferenced(of);
        let (which, rank) = (of.member(WHICH, &RANKS, span), of.member(RANK, &RANKS, span));
        let args: Vec<&syn::Expr> = e.args.iter().collect();
        let zero = Expr::new(Kind::Int(0), RANKS, span);
        let (operation, sides, given): (_, _, &[&syn::Expr]) = match (name, &args[..]) {
            ("rank", []) => return rank,
            ("as_communicator", []) => {
                let numbers = [WHICH, THIS_RANK, SIZE_AROUND].map(|at| of.member(at, &RANKS, span));
                let ty = self.record_type(&communicators::communicator());
                return Expr::new(Kind::Tuple(numbers.to_vec()), ty, span);
            }
            ("receive", []) => {
                let ty = self.received_type(&e.turbofish);
                return self.received(Operation::Receive, vec![which, rank, zero], None, ty, e);
            }
            ("receive_with_tag", [tag]) => {
                let operands = vec![which, rank, self.tag(tag)];
                let ty = self.received_type(&e.turbofish);
                return self.received(Operation::Receive, operands, None, ty, e);
            }
            ("gather_varcount_into", [data]) => {
                let operands = vec![which, rank, tag_of_parts(span)];
                return self.operation(Operation::Send, Sides::Sent, operands, &[data], e);
            }
            ("scatter_varcount_into", [data]) => {
                let operands = vec![which, rank, tag_of_parts(span)];
                return self.operation(Operation::Receive, Sides::Received, operands, &[data], e);
            }
            ("gather_varcount_into_root", [send, parts]) => return self.gather_of_parts(e, send, parts),
            ("scatter_varcount_into_root", [parts, receive]) => {
                return self.scatter_of_parts(e, parts, receive);
            }
            ("send" | "synchronous_send", [_]) => {
                return self.operation(Operation::Send, Sides::Sent, vec![which, rank, zero], &args, e);
            }
            ("send_with_tag" | "synchronous_send_with_tag", [data, tag]) => {
                let tag = self.tag(tag);
                return self.operation(Operation::Send, Sides::Sent, vec![which, rank, tag], &[data], e);
            }
            ("receive_into", [_]) => {
                let operands = vec![which, rank, zero];
                return self.operation(Operation::Receive, Sides::Received, operands, &args, e);
            }
            ("receive_into_with_tag", [data, tag]) => {
                let operands = vec![which, rank, self.tag(tag)];
                return self.operation(Operation::Receive, Sides::Received, operands, &[data], e);
            }
            ("immediate_send" | "immediate_synchronous_send", [scope, data]) => {
                return self.started(Side::Sent, scope, vec![which, rank, zero], data, e);
            }
            ("immediate_send_with_tag" | "immediate_synchronous_send_with_tag", [scope, data, tag]) => {
                let operands = vec![which, rank, self.tag(tag)];
                return self.started(Side::Sent, scope, operands, data, e);
            }
            ("immediate_receive_into", [scope, data]) => {
                return self.started(Side::Received, scope, vec![which, rank, zero], data, e);
            }
            ("immediate_receive_into_with_tag", [scope, data, tag]) => {
                let operands = vec![which, rank, self.tag(tag)];
                return self.started(Side::Received, scope, operands, data, e);
            }
            ("broadcast_into", [_]) => (Operation::Broadcast, Sides::InPlace, &args),
            ("gather_into", [_]) => (Operation::Gather, Sides::Sent, &args),
            ("gather_into_root", [_, _]) => (Operation::Gather, Sides::Both, &args),
            ("scatter_into", [_]) => (Operation::Scatter, Sides::Received, &args),
            ("scatter_into_root", [_, _]) => (Operation::Scatter, Sides::Both, &args),
            ("reduce_into", [_, op]) => match self.reduction(op) {
                Some(op) => (Operation::Reduce(op), Sides::Sent, &args[..1]),
                None => return self.error(span),
            },
            ("reduce_into_root", [_, _, op]) => match self.reduction(op) {
                Some(op) => (Operation::Reduce(op), Sides::Both, &args[..2]),
                None => return self.error(span),
            },
            _ => return self.no_message(name, "rank", e.method.span()),
        };
        self.operation(operation, sides, vec![which, rank], given, e)
    }

    /// `send_receive_into(&s, &to, &mut r, &from)`, by any path.
    pub(super) fn message_call(&mut self, names: &[&str], e: &syn::ExprCall) -> Option<Expr> {
        let span = e.span();
        let name = names.last()?;
        if !(names.len() == 1 || names.contains(&"point_to_point") || names.contains(&"p2p")) {
            return self.of_requests(names, e);
        }
        let args: Vec<&syn::Expr> = e.args.iter().collect();
        let (send, to, send_tag, receive, from, receive_tag) = match (*name, &args[..]) {
            ("send_receive_into", [send, to, receive, from]) => (send, to, None, Some(receive), from, None),
            ("send_receive_into_with_tags", [send, to, send_tag, receive, from, receive_tag]) => {
                (send, to, Some(send_tag), Some(receive), from, Some(receive_tag))
            }
            ("send_receive" | "send_receive_replace_into", [send, to, from]) => {
                (send, to, None, None, from, None)
            }
            (
                "send_receive_with_tags" | "send_receive_replace_into_with_tags",
                [send, to, send_tag, from, receive_tag],
            ) => (send, to, Some(send_tag), None, from, Some(receive_tag)),
            _ => return self.of_requests(names, e),
        };
        let ranks = [to, from].map(|of| {
            let of = self.expr(of);
            let of = self.dereferenced(of);
            match self.infer.peel(&of.ty) {
                Type::Record(record) if record.name == PROCESS && communicators::is_known(&record.record) => {
                    Some(of)
                }
                Type::Never => None,
                _ => {
                    self.refuse(
                        of.span,
                        "a rank of another type",
                        "a message goes to a rank of a communicator",
                        "write `&world.process_at_rank(rank)`",
                    );
                    None
                }
            }
        });
        let [Some(to), Some(from)] = ranks else { return Some(self.error(span)) };
        let tag = |this: &mut Self, tag: Option<&&syn::Expr>| match tag {
            Some(tag) => this.tag(tag),
            None => Expr::new(Kind::Int(0), RANKS, span),
        };
        let operands = vec![
            to.member(WHICH, &RANKS, span),
            to.member(RANK, &RANKS, span),
            tag(self, send_tag),
            from.member(RANK, &RANKS, span),
            tag(self, receive_tag),
        ];
        Some(match receive {
            Some(receive) => self.operation(Operation::Exchange, Sides::Both, operands, &[send, receive], e),
            None if name.starts_with("send_receive_replace") => {
                self.operation(Operation::Exchange, Sides::InPlace, operands, &[send], e)
            }
            None => {
                // a value of the type of what is sent
                let Some(send) = self.buffer(send, false) else { return Some(self.error(span)) };
                let ty = self.infer.peel(&send.0.ty);
                self.received(Operation::Exchange, operands, Some(send), ty, e)
            }
        })
    }

    /// A rank of a communicator.
    fn process(&mut self, of: &Expr, rank: Expr, span: Span) -> Expr {
        let ty = self.record_type(&communicators::process());
        let [which, this_rank, size] = [WHICH, RANK, SIZE].map(|at| of.member(at, &RANKS, span));
        Expr::new(Kind::Tuple(vec![which, rank, this_rank, size]), ty, span)
    }

    /// The type in `receive::<f64>()`, or one that follows from where the value goes.
    fn received_type(&mut self, turbofish: &Option<syn::AngleBracketedGenericArguments>) -> Type {
        let written = turbofish.iter().flat_map(|of| &of.args).find_map(|arg| match arg {
            syn::GenericArgument::Type(ty) => self.type_of(ty),
            _ => None,
        });
        written.unwrap_or_else(|| self.fresh())
    }

    /// An operation that returns what is received, one value, and nothing in place of its status.
    fn received(
        &mut self,
        operation: Operation,
        operands: Vec<Expr>,
        send: Option<(Expr, Type)>,
        ty: Type,
        e: &(impl Spanned + quote::ToTokens),
    ) -> Expr {
        let span = e.span();
        let local = self.hidden("received", ty.clone(), true, span);
        let value = Expr::local(local, &ty, span);
        let target = Expr::new(Kind::Borrow(value.clone().boxed()), Type::Ref(true, Box::new(ty)), span);
        let Some(number) = self.number_in(&target) else { return self.error(span) };
        let sides = if send.is_some() { Sides::Both } else { Sides::Received };
        let buffers = send.into_iter().chain([(target, number)]).collect();
        let stmts = vec![
            Stmt::Let(Pattern::Bind(local), None, span),
            Stmt::Expr(self.operation_on(operation, sides, operands, buffers, e)),
        ];
        Expr::tuple(vec![value, Expr::tuple(Vec::new(), span)], span).behind(stmts, span)
    }

    pub(super) fn tag(&mut self, tag: &syn::Expr) -> Expr {
        let tag = self.expr(tag);
        self.unify(&RANKS, &tag.ty, tag.span);
        tag
    }

    /// An operation with its operands and its buffers: what is sent, then what is received.
    fn operation(
        &mut self,
        operation: Operation,
        sides: Sides,
        operands: Vec<Expr>,
        buffers: &[&syn::Expr],
        e: &(impl Spanned + quote::ToTokens),
    ) -> Expr {
        let mut resolved = Vec::new();
        for (at, buffer) in buffers.iter().enumerate() {
            let receives = at == 1 || matches!(sides, Sides::Received | Sides::InPlace);
            let Some(buffer) = self.buffer(buffer, receives) else { return self.error(e.span()) };
            resolved.push(buffer);
        }
        self.operation_on(operation, sides, operands, resolved, e)
    }

    fn operation_on(
        &mut self,
        operation: Operation,
        sides: Sides,
        operands: Vec<Expr>,
        buffers: Vec<(Expr, Type)>,
        e: &(impl Spanned + quote::ToTokens),
    ) -> Expr {
        let span = e.span();
        let mut args = operands;
        let mut elem = None;
        for (buffer, own) in buffers {
            match &elem {
                None => elem = Some(own),
                Some(elem) => self.unify(&elem.clone(), &own, buffer.span),
            }
            args.push(buffer);
        }
        if let (Some(elem), Operation::AllReduce(_) | Operation::Reduce(_)) = (&elem, operation)
            && matches!(self.infer.peel(elem), Type::Scalar(Ty::Bool))
        {
            return self.refuse(
                span,
                "bools reduced over ranks",
                "they are no numbers",
                "send `1` for `true`: `let mine = i32::from(flag);`, and compare the sum",
            );
        }
        let text = self.message_written.clone().unwrap_or_else(|| tidy(e));
        let access = Access { array: String::new(), text };
        Expr::method(
            Method::BetweenRanks(BetweenRanks::Operation(operation, sides)),
            args,
            &access,
            Type::UNIT,
            span,
        )
    }

    /// A buffer of a message, and the type of its numbers.
    pub(super) fn buffer(&mut self, buffer: &syn::Expr, receives: bool) -> Option<(Expr, Type)> {
        let buffer = self.expr(buffer);
        let is_mutable = matches!(self.infer.shallow(&buffer.ty), Type::Ref(true, _) | Type::Never);
        if receives && !is_mutable {
            self.refuse(
                buffer.span,
                "a message that is received into what is not a `&mut`",
                "it is written to",
                "write `&mut r[..]` or `&mut r`",
            );
            return None;
        }
        let number = self.number_in(&buffer)?;
        Some((buffer, number))
    }

    /// The type of the numbers in a buffer.
    fn number_in(&mut self, buffer: &Expr) -> Option<Type> {
        let mut ty = self.infer.peel(&buffer.ty);
        while let Type::Array(elem, _) = ty {
            ty = self.infer.peel(&elem);
        }
        match ty {
            Type::Scalar(_) | Type::Var(_) => Some(ty),
            Type::Never => None,
            Type::Tuple(_) | Type::Record(_) | Type::Array(..) | Type::Ref(..) => {
                let shown = self.infer.show(&ty);
                self.refuse(
                    buffer.span,
                    format!("a message of values of type `{shown}`"),
                    "messages are of numbers, and of arrays of numbers",
                    "copy the numbers to an array, and send that",
                );
                None
            }
        }
    }

    /// `SystemOperation::sum()`
    fn reduction(&mut self, op: &syn::Expr) -> Option<ReduceOp> {
        let op = match bare(op) {
            syn::Expr::Reference(reference) => bare(&reference.expr),
            op => op,
        };
        let name = match op {
            syn::Expr::Call(call) if call.args.is_empty() => match bare(&call.func) {
                syn::Expr::Path(path) => {
                    let names = super::super::names(&self.expand(&path.path));
                    match &names[..] {
                        [.., ty, name] if ty == "SystemOperation" => Some(name.clone()),
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        };
        match name.as_deref() {
            Some("sum") => return Some(ReduceOp::Add),
            Some("min") => return Some(ReduceOp::Min),
            Some("max") => return Some(ReduceOp::Max),
            _ => {}
        }
        self.refuse(
            op.span(),
            format!("the operation `{}` over ranks", tidy(op)),
            "sums, and the smallest and the largest numbers of all ranks are differentiated",
            "write `SystemOperation::sum()`, `min()` or `max()`; of a product, sum logarithms, or gather the factors",
        );
        None
    }

    fn no_message(&mut self, name: &str, of: &str, span: Span) -> Expr {
        let what = format!("the method `{name}` of a {of}");
        if name.starts_with("immediate_") || name.starts_with("ready_") || name.starts_with("buffered_") {
            return self.refuse(
                span,
                what,
                "messages that do not wait are those of `immediate_send` and `immediate_receive_into`",
                "write one of these, `send_receive_into(…)`, or `send(…)` on one side and `receive_into(…)` on \
                 the other; operations of all ranks wait",
            );
        }
        if name.starts_with("any_process") {
            self.refusals.0.push(communicators::any_process(span));
            return self.error(span);
        }
        let (why, help) = match name {
            "split_by_color"
            | "split_by_color_with_key"
            | "duplicate"
            | "split_shared"
            | "split_by_subgroup" => (
                "communicators that are made inside are not known to the generated functions",
                "make it outside, and pass it: `rows: &impl Communicator`",
            ),
            "receive_vec" | "receive_vec_with_tag" | "probe" | "matched_probe" => (
                "how long the message is would be known only when it is there",
                "receive into a buffer whose length is known: `receive_into(&mut r[..])`",
            ),
            _ => (
                "it is none of those that are differentiated",
                "write `send`, `receive_into`, `send_receive_into`, `all_reduce_into`, `reduce_into`, `broadcast_into`, \
                 `gather_into`, `scatter_into`, `all_gather_into`, `all_to_all_into`, `scan_into` or `barrier`",
            ),
        };
        self.refuse(span, what, why, help)
    }
}

/// The type of ranks and of tags.
pub(super) const RANKS: Type = Type::Scalar(Ty::Int(crate::ir::Int::I32));
