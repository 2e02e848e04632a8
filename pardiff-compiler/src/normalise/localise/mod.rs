//! Locals live where they are used.
//!
//! *Comes in*: any program that the verifier accepts. *Goes out*: the same statements, in which each local is declared
//! as deep in the tree as its values allow, once for each group of statements among which its values flow.
//! *Guarantees*: not one statement is added, removed or moved; only `Scope`s change, and which buffer a statement
//! names. *Never*: guesses; what is not proved stays where the user declared it.
//!
//! ```text
//! before                                   after
//!   scope y: f64[d], s: f64                  scope y: f64[d]
//!     for j in 0..d                            for j in 0..d
//!       y[j] = 0.0                               y[j] = 0.0                dead from now on
//!     for i in 0..n                          for i in 0..n
//!       for j in 0..d                          scope y.2: f64[d], s: f64
//!         y[j] = x[i * d + j]                    for j in 0..d
//!       s = 0.0                                    y.2[j] = x[i * d + j]
//!       for j in 0..d                            s = 0.0
//!         s += y[j] * y[j]                       for j in 0..d
//!       out[i] = s                                 s += y.2[j] * y.2[j]
//!                                                out[i] = s
//! ```
//!
//! *Legality.* The contents of a buffer are unspecified when its `Scope` is entered. A sequence of statements is
//! *self-contained* for a local if every element that it reads (a `Reduce` reads its target) was written before in
//! the same execution of the sequence; no value of the local flows into it then.
//! - If a suffix of a block is self-contained, no value flows from the statements before it: the suffix may have a
//!   local of its own (`webs`).
//! - A scalar that is assigned is a new one from there on, also where the value is made of what it was (`u = u / density`):
//!   the assignment reads the one and writes the other. So each value has a name of its own, and is stored or computed
//!   again as its own definition says.
//! - If all statements of a block that mention the local are one loop, and the loop's body is self-contained, no value
//!   flows into, out of, or between its iterations: the local may be declared in the body. Into the arms of an `If`, or
//!   a `Scope`, there is nothing to prove.
//!
//! The extents keep their values: what they read does not change while the local lives, and stays visible. `flow` has
//! the two proofs of self-containment, one for scalars and one for arrays.
//!
//! A local that is exchanged by `Swap`, handed to a `Call`, or mentioned in extents stays where it is.

mod apply;
mod flow;
#[cfg(test)]
mod tests;
mod tree;
mod webs;

pub(super) use apply::rename;

use crate::ir::{BufferId, Layout, Program, Role, StmtKind};
use flow::Flow;
use std::collections::BTreeSet;
use tree::Tree;
use webs::Webs;

/// Declares every local as deep as its values allow.
pub fn localise(mut program: Program) -> Program {
    let plan = {
        let tree = Tree::new(&program);
        let mut webs = Webs::new(&program, &tree, Flow::new(&program, &tree));
        for buffer in candidates(&program) {
            webs.place(buffer);
        }
        webs.plan
    };
    apply::apply(&mut program, plan);
    program
}

/// The locals whose every mention is a load, a target or their own extent.
fn candidates(program: &Program) -> Vec<BufferId> {
    let mut declared = BTreeSet::new();
    let mut pinned = BTreeSet::new();
    for stmt in &program.body {
        stmt.walk(&mut |stmt| {
            declared.extend(stmt.declares());
            pinned.extend(stmt.whole());
            if let StmtKind::Fork { .. } = stmt.kind {
                stmt.walk(&mut |stmt| pinned.extend(tree::mentions(stmt)));
            }
        });
    }
    for buffer in &program.buffers {
        buffer.dims.iter().for_each(|extent| {
            tree::mentioned_in(extent, &mut |buffer| {
                pinned.insert(buffer);
            })
        });
    }
    let is_candidate = |&buffer: &BufferId| {
        let it = &program[buffer];
        it.role == Role::Local && it.layout == Layout::RowMajor && !pinned.contains(&buffer)
    };
    declared.into_iter().filter(is_candidate).collect()
}
