//! Derivatives that were given beside a value, once no more are taken.
//!
//! *Comes in*: a program of which nothing is differentiated any more. *Goes out*: the same with each `attach(v, p, x)`
//! replaced by `v`, which is its value, and without what computed `p` alone.
//!
//! *Legality.* A variable that nothing reads once no `p` does held a part of a rule: the arguments of a call with a
//! rule are operands of the call itself. A rule is no part of what the function computes, so that its stores go
//! although they may panic.

use crate::ir::{Block, BufferSet, ExprKind, Func, Program, Stmt, walk};

/// Takes the derivatives off.
pub(super) fn detach(mut program: Program) -> Program {
    let mut parts = BufferSet::new();
    program.with_body(|program, body| {
        take_off(program, body, &mut parts);
        while remove_unread(program, body, &mut parts) {}
    });
    if parts.is_empty() { program } else { super::shorten(program) }
}

/// Replaces the values, and collects what their derivatives load.
fn take_off(program: &Program, body: &mut Block, parts: &mut BufferSet) {
    for stmt in body {
        for expr in stmt.exprs_mut() {
            expr.change(&mut |node| {
                if let ExprKind::Call(Func::Attach, _, args) = &mut node.kind {
                    args[1].reads(program, &mut |buffer| _ = parts.insert(buffer));
                    *node = args.swap_remove(0);
                }
            });
        }
        stmt.blocks_mut().into_iter().for_each(|inner| take_off(program, inner, parts));
    }
}

/// Removes the stores to parts that nothing reads; what these loaded is a part as well.
fn remove_unread(program: &Program, body: &mut Block, parts: &mut BufferSet) -> bool {
    let mut read: BufferSet = program.params.iter().chain(&program.results).copied().collect();
    walk(body, &mut |stmt| {
        stmt.each_expr(&mut |expr| expr.reads(program, &mut |buffer| _ = read.insert(buffer)));
        read.extend(stmt.whole());
    });
    let unread = |stmt: &Stmt| {
        stmt.as_store().is_some_and(|(to, _)| parts.contains(to.buffer) && !read.contains(to.buffer))
    };
    let mut loaded = BufferSet::new();
    let found = remove(program, body, &unread, &mut loaded);
    parts.union(&loaded);
    found
}

fn remove(
    program: &Program,
    body: &mut Block,
    unread: &dyn Fn(&Stmt) -> bool,
    loaded: &mut BufferSet,
) -> bool {
    let before = body.len();
    body.retain(|stmt| {
        let goes = unread(stmt);
        if goes {
            stmt.each_expr(&mut |expr| expr.reads(program, &mut |buffer| _ = loaded.insert(buffer)));
        }
        !goes
    });
    let mut found = body.len() < before;
    for stmt in body {
        for inner in stmt.blocks_mut() {
            found |= remove(program, inner, unread, loaded);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::ir::parse;

    fn detached(text: &str) -> String {
        let program = parse(text.trim()).unwrap_or_else(|error| panic!("{error}"));
        super::detach(program).to_string()
    }

    #[test]
    fn what_computes_a_derivative_alone_goes() {
        let printed = detached(
            "
fn f(x: in f64) -> y: f64
  opaque g: f64 = \"g\"
  scope v: f64, w: f64, p: f64
    v = apply(g, x)
    w = apply(g, v)
    p = w * cos(x)
    y = attach(v, p, x)
",
        );
        assert_eq!(printed.matches("apply(g, ").count(), 1, "{printed}");
        assert!(!printed.contains("attach") && !printed.contains("cos"), "{printed}");
    }

    #[test]
    fn what_the_function_computes_stays() {
        let printed = detached(
            "
fn f(x: in f64) -> y: f64
  opaque g: f64 = \"g\"
  scope v: f64, w: f64, u: f64
    u = apply(g, x)
    w = apply(g, x)
    v = apply(g, w)
    y = attach(v, w, x)
",
        );
        assert_eq!(printed.matches("apply(g, ").count(), 3, "{printed}");
    }
}
