use super::*;
use crate::ir::*;

fn origin() -> Origin {
    Origin { stmt: 0, phase: Phase::Primal, span: SpanId(0) }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(kind, origin())
}

#[test]
fn a_dot_product_runs() {
    let mut p = Program::new("dot", proc_macro2::Span::call_site());
    let x = BufferId(0);
    p.add_buffer(Buffer::new("x", Ty::F64, vec![Expr::extent(x, 0)], Role::Input));
    let y = p.add_buffer(Buffer::new("y", Ty::F64, vec![Expr::extent(x, 0)], Role::Input));
    let total = p.add_scalar("total", Ty::F64, Role::Output);
    let i = p.add_iter("i", Ty::USIZE);
    p.params = vec![x, y];
    p.results = vec![total];
    let at = |b| Place::new(b, vec![Expr::iter(i, Ty::USIZE)]).load(Ty::F64);
    let body = vec![stmt(StmtKind::Reduce {
        op: ReduceOp::Add,
        target: Place::scalar(total),
        value: Expr::binary(BinOp::Mul, at(x), at(y)),
        scheme: Scheme::Undecided,
    })];
    p.body = vec![
        stmt(StmtKind::Assign { target: Place::scalar(total), value: Expr::float(Ty::F64, 0.0) }),
        stmt(StmtKind::For(For {
            iter: i,
            lo: Expr::usize(0),
            hi: Expr::extent(x, 0),
            inclusive: false,
            step: Expr::usize(1),
            order: Order::Up,
            exec: Exec::Undecided,
            marks: Marks::default(),
            body,
        })),
    ];
    assert_eq!(
        p.to_string(),
        "fn dot(x: in f64[_], y: in f64[len(x)]) -> total: f64\n  total = 0.0\n  for i in 0..len(x)\n    total += x[i] * y[i]\n"
    );
    let args = vec![Array::floats(&[1.0, 2.0]), Array::floats(&[3.0, 4.0])];
    let out = run::<f64>(&p, args, &no_paths).unwrap();
    assert_eq!(out.results[0].real(), 11.0);
    let args = vec![Array::floats(&[1.0, 2.0]).with_tangents(&[1.0, 0.0]), Array::floats(&[3.0, 4.0])];
    let out = run::<Dual>(&p, args, &no_paths).unwrap();
    assert_eq!(out.results[0].tangents(), [3.0]);
}
