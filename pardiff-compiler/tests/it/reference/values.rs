//! Expressions of random programs in the IR, and calls of helper functions, inlined.

use super::{Binding, Lower, assign, scope, stmt, ty};
use crate::random::program::{Expr as Rust, Function, Kind};
use pardiff_compiler::ir::{BinOp, Block, BufferId, Expr, Func, Kind as FuncKind, Place, StmtKind, Ty, UnOp};

impl Lower<'_> {
    /// A call of a helper function, inlined; its results go to `targets`.
    pub(super) fn call(&mut self, name: &str, args: &[Rust], targets: &[BufferId], before: &mut Block) {
        let found = self.source.helpers.iter().find(|helper| helper.name == name);
        let helper: Function = found.unwrap_or_else(|| panic!("{name} is not declared")).clone();
        let mut bound = Vec::new();
        let mut locals = Vec::new();
        for (param, arg) in helper.params.iter().zip(args) {
            bound.push(match &arg.kind {
                Kind::Borrow(_, array, row) => {
                    let mut view = self.view(array);
                    if let Some(row) = row {
                        let at = self.expr(row, before);
                        view.prefix.push(at);
                        view.dims.remove(0);
                    }
                    Binding::Array(view)
                }
                _ => {
                    let own = self.local(&param.name, ty(param.ty));
                    let value = self.expr(arg, before);
                    locals.push((own, value));
                    Binding::Scalar(own)
                }
            });
        }
        let names = std::mem::take(&mut self.names);
        let consts = names.iter().take(self.source.consts.len()).cloned();
        self.names = consts.collect();
        for (param, binding) in helper.params.iter().zip(bound) {
            self.bind(&param.name, binding);
        }
        let running = std::mem::take(&mut self.running);
        let returning = self.returning.take();
        let buffers = locals.iter().map(|(own, _)| *own).collect();
        let mut body: Block =
            locals.into_iter().map(|(own, value)| assign(Place::scalar(own), value)).collect();
        body.extend(self.block(&helper.body, |this| this.finish(&helper.result, targets)));
        self.running = running;
        self.returning = returning;
        self.names = names;
        before.extend(scope(buffers, body));
    }

    pub(super) fn expr(&mut self, expr: &Rust, before: &mut Block) -> Expr {
        let own = ty(expr.ty);
        match &expr.kind {
            Kind::Float(value) if own == Ty::F32 => Expr::float(own, f64::from(*value as f32)),
            Kind::Float(value) => Expr::float(own, *value),
            Kind::Int(value) => Expr::int(own, i128::from(*value)),
            Kind::Bool(value) => Expr::bool(*value),
            Kind::Var(name) | Kind::Deref(name) => match self.find(name) {
                Binding::Scalar(buffer) => self.load(buffer),
                Binding::Iter(iter, ty) => Expr::iter(iter, ty),
                Binding::Value(value) => value,
                Binding::Element(place) => place.load(own),
                Binding::Array(_) => panic!("{name} is an array"),
            },
            Kind::Index(name, index) => {
                let index = index.iter().map(|index| self.expr(index, before)).collect();
                self.view(name).place(index).load(own)
            }
            Kind::Len(name) => self.view(name).dims[0].clone(),
            Kind::Neg(operand) => Expr::unary(UnOp::Neg, self.expr(operand, before)),
            Kind::Not(operand) => Expr::unary(UnOp::Not, self.expr(operand, before)),
            Kind::Bin(op, lhs, rhs) => {
                let (lhs, rhs) = (self.expr(lhs, before), self.expr(rhs, before));
                Expr::binary(operator(op), lhs, rhs)
            }
            Kind::Method(name, args) | Kind::Path(name, args) => {
                let float = args[0].ty.is_float();
                let args: Vec<Expr> = args.iter().map(|arg| self.expr(arg, before)).collect();
                Expr::call(own, function(name, float), args)
            }
            Kind::Cast(operand) => self.expr(operand, before).cast(own),
            Kind::If(parts) => {
                let result = self.temporary(own);
                let cond = self.expr(&parts[0], before);
                let then = self.store(Place::scalar(result), &parts[1]);
                let els = self.store(Place::scalar(result), &parts[2]);
                before.push(stmt(StmtKind::If { cond, then, els }));
                self.load(result)
            }
            Kind::Match(on, arms) => {
                let (result, value) = (self.temporary(own), self.temporary(ty(on.ty)));
                let on = self.expr(on, before);
                before.push(assign(Place::scalar(value), on));
                let mut rest = Vec::new();
                for (pattern, arm) in arms.iter().rev() {
                    let then = self.store(Place::scalar(result), arm);
                    rest = match matches(pattern, &self.load(value)) {
                        Some(cond) => vec![stmt(StmtKind::If { cond, then, els: rest })],
                        None => then,
                    };
                }
                before.extend(rest);
                self.load(result)
            }
            Kind::Block(lines, value) => {
                let result = self.temporary(own);
                let saved = std::mem::take(&mut self.temporaries);
                let block = self.block(lines, |this| this.store(Place::scalar(result), value));
                self.temporaries = saved;
                before.extend(block);
                self.load(result)
            }
            Kind::Call(name, args) => {
                let result = self.temporary(own);
                self.call(name, args, &[result], before);
                self.load(result)
            }
            Kind::Consumed(chain, filter, value, fold) => {
                let result = self.temporary(own);
                let start = if *fold { 0.0 } else { -0.0 };
                before.push(assign(Place::scalar(result), Expr::float(own, start)));
                let summed = self.over(chain, &mut |this| {
                    let add = this.with_temporaries(|this, before| {
                        let value = this.expr(value, before);
                        before.push(assign(Place::scalar(result), this.load(result) + value));
                    });
                    match filter {
                        None => add,
                        Some(filter) => this.with_temporaries(|this, before| {
                            let cond = this.expr(filter, before);
                            before.push(stmt(StmtKind::If { cond, then: add, els: vec![] }));
                        }),
                    }
                });
                before.extend(summed);
                self.load(result)
            }
            Kind::Borrow(..) => panic!("a borrow outside of a call"),
        }
    }
}

pub(super) fn operator(op: &str) -> BinOp {
    match op {
        "+" => BinOp::Add,
        "-" => BinOp::Sub,
        "*" => BinOp::Mul,
        "/" => BinOp::Div,
        "%" => BinOp::Rem,
        "&" | "&&" => BinOp::BitAnd,
        "|" | "||" => BinOp::BitOr,
        "^" => BinOp::BitXor,
        "<<" => BinOp::Shl,
        ">>" => BinOp::Shr,
        "==" => BinOp::Eq,
        "!=" => BinOp::Ne,
        "<" => BinOp::Lt,
        "<=" => BinOp::Le,
        ">" => BinOp::Gt,
        ">=" => BinOp::Ge,
        other => panic!("operator {other}"),
    }
}

fn function(name: &str, float: bool) -> Func {
    let integer = format!("int::{name}");
    let fits = |func: &&Func| {
        let is_int = func.kind() == FuncKind::Int;
        if float {
            !is_int && func.name() == name
        } else {
            is_int && (func.name() == name || func.name() == integer)
        }
    };
    *Func::ALL.iter().find(fits).unwrap_or_else(|| panic!("function {name}"))
}

/// The condition that a value matches a pattern; none for `_`.
pub(super) fn matches(pattern: &str, value: &Expr) -> Option<Expr> {
    let int =
        |text: &str| Expr::int(value.ty, text.trim().parse().unwrap_or_else(|_| panic!("pattern {text}")));
    let compare = |op: BinOp, text: &str| Expr::binary(op, value.clone(), int(text));
    if pattern == "_" {
        return None;
    }
    let alternatives = pattern.split('|').map(|part| match part.split_once("..=") {
        Some((lo, hi)) => compare(BinOp::Ge, lo) & compare(BinOp::Le, hi),
        None => compare(BinOp::Eq, part),
    });
    alternatives.reduce(|a, b| a | b)
}
