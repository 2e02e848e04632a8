//! Statements: loops of every kind, declarations, conditions, checks, sums, swaps.

use super::{Fixture, U8, assign, range, same, scope, stmt};
use crate::ir::{
    BinOp, Expr, For, Int, Message, Order, Place, ReduceOp, Role, Scheme, StmtKind, Ty, UnOp, While,
};
use quote::quote;

fn reduce(op: ReduceOp, target: Place, value: Expr) -> crate::ir::Stmt {
    stmt(StmtKind::Reduce { op, target, value, scheme: Scheme::Undecided })
}

#[test]
fn a_scalar_is_declared_by_its_first_assignment() {
    let mut f = Fixture::new();
    let (r, t) = (f.local("r", Ty::F64), f.local("t", Ty::F64));
    let load = f.at(f.x, [f.i()]);
    let update = reduce(ReduceOp::Add, Place::scalar(r), f.program.load_scalar(t));
    let out = Place::new(f.y, vec![f.i()]);
    let body = vec![scope(
        &[r, t],
        vec![
            assign(Place::scalar(r), Expr::float(Ty::F64, 0.0)),
            assign(Place::scalar(t), load),
            update,
            assign(out, f.program.load_scalar(r)),
        ],
    )];
    f.program.body = vec![stmt(StmtKind::For(range(f.i, Expr::usize(0), f.n(), body)))];
    same(
        &f.emit(),
        quote! {
            for i in 0..n {
                let mut r: f64 = 0.0;
                let t: f64 = x[i];
                r += t;
                y[i] = r;
            }
        },
    );
}

#[test]
fn a_scalar_that_is_first_assigned_under_a_condition_is_declared_before() {
    let mut f = Fixture::new();
    let r = f.local("r", Ty::F64);
    let cond = Expr::binary(BinOp::Lt, f.i(), f.n());
    let then = vec![assign(Place::scalar(r), f.s())];
    let branch = stmt(StmtKind::If { cond, then, els: vec![] });
    let out = assign(Place::new(f.y, vec![Expr::usize(0)]), f.program.load_scalar(r));
    f.program.body =
        vec![stmt(StmtKind::For(range(f.i, Expr::usize(0), f.n(), vec![scope(&[r], vec![branch, out])])))];
    same(&f.emit(), quote! { for i in 0..n { let mut r: f64 = 0.0; if i < n { r = s; } y[0] = r; } });
}

#[test]
fn loops_over_every_range() {
    let mut f = Fixture::new();
    let u64_iter = f.program.add_iter("k", Ty::Int(Int::U64));
    let n64 = f.n().cast(Ty::Int(Int::U64));
    let base = |iter, lo: Expr, hi: Expr| range(iter, lo, hi, vec![]);
    let (zero, three) = (Expr::usize(0), Expr::usize(3));
    let down = Order::Down;
    let loops = vec![
        base(f.i, zero.clone(), three.clone()),
        For { inclusive: true, ..base(f.j, Expr::int(U8, 0), Expr::int(U8, 255)) },
        For { step: f.n(), ..base(f.i, zero.clone(), f.n()) },
        For { order: down, ..base(f.i, zero.clone(), f.n()) },
        For { order: down, step: three.clone(), ..base(f.i, zero, f.n()) },
        For {
            order: down,
            step: three.clone(),
            ..base(u64_iter, Expr::int(Ty::Int(Int::U64), 0), n64.clone())
        },
        For {
            order: down,
            step: three,
            inclusive: true,
            ..base(u64_iter, n64, Expr::int(Ty::Int(Int::U64), 9))
        },
    ];
    f.program.body = loops.into_iter().map(|it| stmt(StmtKind::For(it))).collect();
    same(
        &f.emit(),
        quote! {
            for i in 0..3_usize {}
            for j in 0..=255_u8 {}
            for i in (0..n).step_by(n) {}
            for i in (0..n).rev() {}
            for i in (0..n).step_by(3).rev() {}
            for k in rt::strided_down(0, n as u64, 3) {}
            for k in rt::strided_down_inclusive(n as u64, 9, 3) {}
        },
    );
}

#[test]
fn while_loops_count_and_tasks_run_in_order() {
    let mut f = Fixture::new();
    let r = f.local("r", Ty::F64);
    let counter = f.program.add_iter("trip", Ty::USIZE);
    let head = vec![assign(Place::scalar(r), f.s())];
    let cond = Expr::binary(BinOp::Lt, f.program.load_scalar(r), f.s());
    let body = vec![assign(Place::new(f.y, vec![Expr::iter(counter, Ty::USIZE)]), f.s())];
    let tasks = vec![vec![assign(Place::new(f.y, vec![Expr::usize(0)]), f.s())], vec![]];
    f.program.body = vec![scope(
        &[r],
        vec![
            stmt(StmtKind::While(While { counter, head, cond, body, checkpoint: None })),
            stmt(StmtKind::Fork { tasks }),
        ],
    )];
    same(
        &f.emit(),
        quote! {
            let mut r: f64 = 0.0;
            for trip in 0_usize.. { r = s; if !(r < s) { break; } y[trip] = s; }
            { y[0] = s; } {}
        },
    );
}

#[test]
fn conditions_chain_and_facts_are_conditions() {
    let mut f = Fixture::new();
    let out = |value: Expr| vec![assign(Place::new(f.y, vec![Expr::usize(0)]), value)];
    let less = Expr::binary(BinOp::Lt, f.n(), Expr::usize(3));
    let same_as = Expr::binary(BinOp::Eq, f.n(), Expr::usize(5));
    let inner =
        stmt(StmtKind::If { cond: same_as.clone(), then: out(f.s()), els: out(Expr::float(Ty::F64, 1.0)) });
    let chain = stmt(StmtKind::If { cond: less.clone(), then: out(f.s()), els: vec![inner] });
    let only_else = stmt(StmtKind::If { cond: less.clone(), then: vec![], els: out(f.s()) });
    let not = Expr::unary(UnOp::Not, less.clone());
    let guarded = stmt(StmtKind::Guarded { fact: not, then: out(f.s()), els: vec![] });
    f.program.body = vec![chain, only_else, guarded];
    same(
        &f.emit(),
        quote! {
            if n < 3 { y[0] = s; } else if n == 5 { y[0] = s; } else { y[0] = 1.0; }
            if n >= 3 { y[0] = s; }
            if !(n < 3) { y[0] = s; }
        },
    );
}

#[test]
fn checks_name_function_array_access_index_and_length() {
    let mut f = Fixture::new();
    let (index, len) = (f.i(), Expr::extent(f.x, 0));
    let bounds = Message::Bounds {
        array: "x".to_owned(),
        access: "x[i]".to_owned(),
        index: index.clone(),
        len: len.clone(),
    };
    let slice = Message::Slice {
        array: "x".to_owned(),
        access: "&x[..i]".to_owned(),
        start: Expr::usize(0),
        end: index.clone(),
        len: len.clone(),
    };
    let in_range = Expr::binary(BinOp::Lt, index.clone(), len.clone());
    let below = Expr::binary(BinOp::Le, index, len);
    let positive = Expr::binary(BinOp::Gt, f.s(), Expr::float(Ty::F64, 0.0));
    let body = vec![
        stmt(StmtKind::Check { cond: in_range, message: bounds }),
        stmt(StmtKind::Check { cond: below, message: slice }),
        stmt(StmtKind::Check { cond: positive, message: Message::Text("s > 0.0".to_owned()) }),
    ];
    f.program.body = vec![stmt(StmtKind::For(range(f.i, Expr::usize(0), f.n(), body)))];
    let line = f.program.spans[0].start().line;
    let line: proc_macro2::TokenStream = line.to_string().parse().unwrap_or_default();
    same(
        &f.emit(),
        quote! {
            for i in 0..n {
                rt::access::in_range(i, x.len(), #line, &rt::access::Site("kernel", "x", "x[i]"));
                if i > x.len() { rt::slice_out_of_range("kernel", "x", "&x[..i]", #line, [0, i], x.len()) }
                if !(s > 0.0) { rt::failed("kernel", "s > 0.0", #line) }
            }
        },
    );
}

#[test]
fn reductions_of_every_operation() {
    let mut f = Fixture::new();
    let best = f.program.add_scalar("best", Ty::F64, Role::InOut);
    f.program.params.push(best);
    let at = || Place::new(f.y, vec![f.n()]);
    let minus = Expr::unary(UnOp::Neg, f.s());
    f.program.body = vec![
        reduce(ReduceOp::Add, at(), f.s()),
        reduce(ReduceOp::Add, at(), minus),
        reduce(ReduceOp::Max, at(), f.s()),
        reduce(ReduceOp::Min, Place::scalar(best), f.s()),
    ];
    same(
        &f.emit(),
        quote! {
            y[n] += s;
            y[n] -= s;
            y[n] = y[n].max(s);
            *best = (*best).min(s);
        },
    );
}
