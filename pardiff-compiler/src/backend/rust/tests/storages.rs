//! Local buffers: where they live, their sizes, their positions in memory.

use super::{Fixture, assign, range, same, scope, stmt};
use crate::ir::{BinOp, Buffer, Callee, Expr, Layout, Place, Role, StmtKind, Ty};
use quote::quote;

#[test]
fn small_arrays_live_on_the_stack_and_others_on_the_heap() {
    let mut f = Fixture::new();
    let local = |name: &str, dims: Vec<Expr>| Buffer::new(name, Ty::F64, dims, Role::Local);
    let dims = vec![Expr::usize(3), Expr::usize(4)];
    let small = f.program.add_buffer(local("small", dims));
    let large = f.program.add_buffer(local("large", vec![Expr::usize(5000)]));
    let row = f.program.add_buffer(local("row", vec![f.n()]));
    f.program.body = vec![scope(
        &[small, large, row],
        vec![
            assign(Place::new(small, vec![Expr::usize(1), f.n()]), f.s()),
            assign(Place::new(large, vec![f.n()]), f.at(small, [f.n(), Expr::usize(0)])),
            assign(Place::new(row, vec![Expr::usize(0)]), Expr::extent(row, 0).cast(Ty::F64)),
        ],
    )];
    same(
        &f.emit(),
        quote! {
            let mut small = [0.0_f64; 12];
            let large = arena.scratch::<f64>(5000);
            let row = arena.scratch::<f64>(n);
            small[4 + n] = s;
            large[n] = small[n * 4];
            row[0] = row.len() as f64;
        },
    );
}

#[test]
fn sizes_are_checked_with_their_formula_and_extents_are_bound_once() {
    let mut f = Fixture::new();
    let m = f.local("m", Ty::USIZE);
    let more = Expr::binary(BinOp::Add, f.program.load_scalar(m), Expr::usize(1));
    let tape = |dims: Vec<Expr>| Buffer::new("t_tape", Ty::F64, dims, Role::Tape);
    let matrix = f.program.add_buffer(tape(vec![f.n(), more.clone()]));
    let mut packed = tape(vec![f.n(), f.n()]);
    packed.layout = Layout::PackedTriangular;
    let packed = f.program.add_buffer(packed);
    let list = f.program.add_buffer(tape(vec![more]));
    let value = f.at(packed, [f.n(), Expr::usize(2)]);
    f.program.body = vec![scope(
        &[m],
        vec![
            assign(Place::scalar(m), f.n()),
            scope(
                &[matrix, packed, list],
                vec![
                    assign(Place::new(matrix, vec![f.n(), Expr::usize(1)]), value),
                    assign(Place::new(list, vec![Expr::extent(matrix, 1)]), f.s()),
                ],
            ),
        ],
    )];
    same(
        &f.emit(),
        quote! {
            let m: usize = n;
            let t_tape_dim1: usize = (rt::Size::new(m) + rt::Size::new(1)).get("kernel", "t_tape", "m + 1");
            let t_tape = arena.scratch::<f64>(rt::row_major::<f64>("kernel", "t_tape", "n * (m + 1)", &[n, t_tape_dim1]));
            let t_tape_2 = arena.scratch::<f64>(rt::triangle::<f64>("kernel", "t_tape_2", "n * (n + 1) / 2", &[], n));
            let t_tape_3 = arena.scratch::<f64>(rt::row_major::<f64>(
                    "kernel", "t_tape_3", "m + 1",
                    &[(rt::Size::new(m) + rt::Size::new(1)).get("kernel", "t_tape_3", "m + 1")]
                ));
            t_tape[n * t_tape_dim1 + 1] = t_tape_2[n * (n + 1) / 2 + 2];
            t_tape_3[t_tape_dim1] = s;
        },
    );
}

#[test]
fn what_grows_as_it_is_written_is_written_through_slots() {
    let mut f = Fixture::new();
    let list = crate::ir::BufferId(f.program.buffers.len() as u32);
    let mut growing = Buffer::new("list", Ty::USIZE, vec![Expr::extent(list, 0)], Role::Local);
    growing.layout = Layout::Growing;
    f.program.add_buffer(growing);
    let rows = crate::ir::BufferId(f.program.buffers.len() as u32);
    let mut reached = Buffer::new("t_tape", Ty::F64, vec![Expr::extent(rows, 0), f.n()], Role::Tape);
    reached.layout = Layout::Reserved;
    f.program.add_buffer(reached);
    let reach = StmtKind::Call {
        callee: Callee::Reserve(Box::new(f.i() + Expr::usize(1))),
        reads: Vec::new(),
        writes: vec![rows],
    };
    let own = f.at(list, [f.i()]);
    let body = vec![
        assign(Place::new(list, vec![f.i()]), Expr::extent(list, 0)),
        assign(Place::new(list, vec![own]), f.i()),
        stmt(reach),
        assign(Place::new(rows, vec![f.i(), Expr::usize(2)]), f.s()),
        assign(Place::new(f.y, vec![f.i()]), f.at(rows, [f.i(), f.i()])),
    ];
    f.program.body =
        vec![scope(&[list, rows], vec![stmt(StmtKind::For(range(f.i, Expr::usize(0), f.n(), body)))])];
    same(
        &f.emit(),
        quote! {
            let mut list = rt::Growing::<usize>::new(arena);
            let mut t_tape = rt::Growing::<f64>::new(arena);
            for i in 0..n {
                *list.slot(i) = list.len();
                { let position: usize = list[i]; *list.slot(position) = i; }
                t_tape.reach(i + 1, n);
                t_tape[i * n + 2] = s;
                y[i] = t_tape[i * n + i];
            }
        },
    );
}

#[test]
fn memory_is_freed_before_later_statements_and_equal_names_do_not_clash() {
    let mut f = Fixture::new();
    let row = f.program.add_buffer(Buffer::new("x", Ty::F64, vec![f.n()], Role::Local));
    let other = f.program.add_buffer(Buffer::new("x", Ty::F64, vec![f.n()], Role::Local));
    f.program.body = vec![
        scope(&[row, other], vec![stmt(StmtKind::Swap { a: row, b: other })]),
        assign(Place::new(f.y, vec![Expr::usize(0)]), f.s()),
    ];
    same(
        &f.emit(),
        quote! {
            {
                let mut x_2 = arena.scratch::<f64>(n);
                let mut x_3 = arena.scratch::<f64>(n);
                ::core::mem::swap(&mut x_2, &mut x_3);
                unsafe { arena.give_back(x_3) }
                unsafe { arena.give_back(x_2) }
            }
            y[0] = s;
        },
    );
}

#[test]
fn what_the_back_end_does_not_do_is_refused() {
    let mut f = Fixture::new();
    let mut padded = Buffer::new("p", Ty::F64, vec![f.n()], Role::Local);
    padded.layout = Layout::PackedTriangular;
    padded.role = Role::InOut;
    f.program.add_buffer(padded);
    let refusal = super::super::supported::check(&f.program).err();
    assert_eq!(
        refusal.map(|refusal| refusal.what),
        Some("internal error of pardiff: the Rust back end does not do layouts of more dimensions than the buffer has".to_owned())
    );
}

#[test]
fn loops_that_fill_an_array_with_a_constant_become_its_declaration() {
    let mut f = Fixture::new();
    let local = |name: &str, dims: Vec<Expr>| Buffer::new(name, Ty::F64, dims, Role::Local);
    let row = f.program.add_buffer(local("row", vec![f.n()]));
    let grid = f.program.add_buffer(local("grid", vec![Expr::usize(2), Expr::usize(3)]));
    let part = f.program.add_buffer(local("part", vec![f.n()]));
    let l = f.program.add_iter("l", Ty::USIZE);
    let at = |iter| Expr::iter(iter, Ty::USIZE);
    let fill = |target: Place, value: f64| vec![assign(target, Expr::float(Ty::F64, value))];
    let one = fill(Place::new(row, vec![f.i()]), 1.5);
    let two = fill(Place::new(grid, vec![f.i(), at(l)]), -1.0);
    let inner = stmt(StmtKind::For(range(l, Expr::usize(0), Expr::extent(grid, 1), two)));
    let some = fill(Place::new(part, vec![f.i()]), 2.0);
    f.program.body = vec![scope(
        &[row, grid, part],
        vec![
            stmt(StmtKind::For(range(f.i, Expr::usize(0), f.n(), one))),
            stmt(StmtKind::For(range(f.i, Expr::usize(0), Expr::usize(2), vec![inner]))),
            stmt(StmtKind::For(range(f.i, Expr::usize(1), f.n(), some))),
            assign(Place::new(f.y, vec![f.n()]), f.at(row, [f.n()])),
        ],
    )];
    same(
        &f.emit(),
        quote! {
            let row = arena.scratch::<f64>(n);
            row.fill(1.5);
            let mut grid = [-1.0_f64; 6];
            let part = arena.scratch::<f64>(n);
            for i in 1..n { part[i] = 2.0; }
            y[n] = row[n];
        },
    );
}
