//! Calls of the user's functions over arrays: what their rules compute of them.
//!
//! ```text
//! forward                       reverse
//! x_tape = x; y_tape = y        x.1 = x_tape; y.1 = y_tape; s_bar = 0; t = r_bar; r_bar = 0
//! r = f(&x, s, &mut y)          f_vjp(&x.1, &mut x_bar, s, &mut s_bar, &mut y.1, &mut y_bar, t)
//!                               contributions of s with s_bar
//! ```
//!
//! The rule has the contract of `f::vjp`, whose adjoints of `y` come in as those of after the call, and go out as
//! those of before. It runs the function itself, on a copy of what that found in `y`. Arrays that the function
//! reads, and that nothing writes afterwards, are lent as they are. What has no adjoint in the program gets one
//! that starts from zero and goes nowhere.
//!
//! In forward mode the rule stands in the place of the call:
//!
//! ```text
//! (r, r_dot) = f_jvp(&x, &x_dot, s, s_dot, &mut y, &mut y_dot)
//! ```
//!
//! A rule is a function over arrays as well, and so has a rule for tangents of the same contract: second derivatives
//! put it in the place of the rule. Adjoints of inputs, whose sum is not computed there, are zeros for it.

use super::reverse_expr::Reversal;
use super::reverse_stmt::{Sweep, Unsupported};
use super::tangent::{OF_HVP, Shared, Tangents, derived};
use crate::ir::{
    Block, Buffer, BufferId, Callee, Expr, Place, Role, Stmt, StmtKind, UserArg, UserCall, over_elements,
};
use crate::refusal::Refusal;

impl<'p> Sweep<'p> {
    /// The reverse sweep of such a call.
    pub(super) fn reverse_user_call(
        &mut self,
        stmt: &'p Stmt,
        call: &'p UserCall,
        reads: &'p [BufferId],
        writes: &'p [BufferId],
    ) -> Vec<Stmt> {
        let mut reversal = Reversal::of(stmt);
        let Some(rule) = call.vjp.clone() else {
            self.unsupported.get_or_insert(Unsupported {
                origin: stmt.origin,
                what: format!("a gradient through `{}`, which has no rule for it", call.function),
                why: "its body is not looked into, and its rule `jvp` computes tangents alone",
                help: format!(
                    "write `custom(vjp = {0}_vjp, jvp = …)`, where `{0}_vjp` has the contract of `{0}::vjp`",
                    call.function
                ),
            });
            return Vec::new();
        };
        let mut rule = UserCall { jvp: call.vjp_jvp.clone(), ..UserCall::of(rule) };
        let (mut lent, mut changed, mut of_values) = (Vec::new(), Vec::new(), Vec::new());
        for (arg, buffer) in call.with_lent(reads) {
            let (value, adjoint) = match (arg, buffer) {
                (UserArg::Value(value), _) => {
                    rule.args.push(UserArg::Value(self.value_at(value, stmt)));
                    let bar = value.ty.is_float().then(|| {
                        let bar = self.out.add_scalar("t", value.ty, Role::Local);
                        let zero = Stmt::set(bar, Expr::float(value.ty, 0.0), reversal.origin);
                        reversal.temporaries.push(bar);
                        reversal.code.push(zero);
                        bar
                    });
                    of_values.extend(bar.map(|bar| (value, bar)));
                    (None, bar)
                }
                (UserArg::Shared | UserArg::Mutable, Some(buffer)) => {
                    let is_changed = matches!(arg, UserArg::Mutable);
                    rule.args.push(arg.clone());
                    let value = self.array_at(&mut reversal, stmt, buffer, is_changed);
                    changed.extend(is_changed.then_some(value));
                    let adjoint =
                        self.primal[buffer].elem.is_float().then(|| match self.adjoint.get(&buffer) {
                            Some(&adjoint) => adjoint,
                            None => self.dropped_adjoint(&mut reversal, stmt, buffer),
                        });
                    (Some(value), adjoint)
                }
                (UserArg::Shared | UserArg::Mutable, None) => (None, None),
            };
            lent.extend(value);
            if let Some(adjoint) = adjoint {
                rule.args.push(UserArg::Mutable);
                lent.push(adjoint);
                changed.push(adjoint);
            }
        }
        for &result in call.returned(writes) {
            let (ty, bar) = (self.primal[result].elem, self.adjoint.get(&result).copied());
            let seed = match bar {
                Some(bar) => {
                    let bar = Place::scalar(bar);
                    let seed = self.temporary(&mut reversal, "t", bar.clone().load(ty));
                    let zero = Stmt::assign(bar, Expr::float(ty, 0.0), reversal.origin);
                    reversal.code.push(zero);
                    seed
                }
                None => Expr::float(ty, 0.0),
            };
            rule.args.push(UserArg::Value(seed));
        }
        let kind = StmtKind::Call { callee: Callee::User(Box::new(rule)), reads: lent, writes: changed };
        reversal.code.push(Stmt::new(kind, reversal.origin));
        for (value, bar) in of_values {
            let bar = self.out.load_scalar(bar);
            self.contribute(&mut reversal, value, bar);
        }
        reversal.finish()
    }

    /// An array that has the elements that `buffer` has before `stmt`, to be written where that is asked for.
    fn array_at(
        &mut self,
        reversal: &mut Reversal<'p>,
        stmt: &'p Stmt,
        buffer: BufferId,
        is_written: bool,
    ) -> BufferId {
        let here = self.lives_here(buffer);
        let root = self.region.root;
        let mut writes = self.structure.writes(buffer).iter();
        let is_left = here && !writes.any(|write| self.structure.may_follow(stmt, write, buffer, root));
        if is_left && !is_written {
            return buffer;
        }
        let Buffer { name, elem, .. } = self.primal[buffer].clone();
        // where its elements are: the slot, and the index of the first one
        let (from, slot, first) = if is_left {
            (buffer, Vec::new(), None)
        } else if self.can_be_stored(buffer) {
            let tape = self.snapshot(buffer, stmt);
            (tape.buffer, tape.rev, None)
        } else {
            let (tape, first) = self.snapshot_of_any_length(buffer, stmt);
            (tape, Vec::new(), Some(first))
        };
        let copy = self.scratch(reversal, stmt, &name, buffer);
        let (extent, origin) = (self.out[copy].dims[0].clone(), reversal.origin);
        let filled = over_elements(&mut self.out, vec![extent], origin, &mut |index| {
            let at = |at: &Expr| first.iter().cloned().fold(at.clone(), |at, first| first + at);
            let element = slot.iter().cloned().chain(index.iter().map(at)).collect();
            let value = Place::new(from, element).load(elem);
            Stmt::assign(Place::new(copy, index.to_vec()), value, origin)
        });
        reversal.code.push(filled);
        copy
    }

    /// A new array as long as `buffer`, in the reverse sweep of `stmt`.
    fn scratch(
        &mut self,
        reversal: &mut Reversal<'p>,
        stmt: &'p Stmt,
        name: &str,
        buffer: BufferId,
    ) -> BufferId {
        let extent = self.value_at(&Expr::extent(buffer, 0), stmt);
        let scratch = Buffer::new(name, self.primal[buffer].elem, vec![extent], Role::Local);
        let scratch = self.out.add_buffer(scratch);
        reversal.temporaries.push(scratch);
        scratch
    }

    /// An adjoint of what no derivative is asked for.
    fn dropped_adjoint(&mut self, reversal: &mut Reversal<'p>, stmt: &'p Stmt, buffer: BufferId) -> BufferId {
        let name = format!("d_{}", self.primal[buffer].name);
        let adjoint = self.scratch(reversal, stmt, &name, buffer);
        reversal.code.extend(self.zero(adjoint, reversal.origin));
        adjoint
    }
}

impl Tangents<'_> {
    /// The rule for tangents in the place of such a call.
    pub(super) fn user_call(
        &mut self,
        stmt: &Stmt,
        call: &UserCall,
        reads: &[BufferId],
        writes: &[BufferId],
        out: &mut Block,
    ) {
        let Some(rule) = call.jvp.clone() else { return self.refuse_without_rule(stmt, call) };
        let (mut rule, mut shared) = (UserCall::of(rule), Shared::default());
        let (mut lent, mut changed, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for (arg, buffer) in call.with_lent(reads) {
            match (arg, buffer) {
                (UserArg::Value(value), _) => {
                    let (value, tangent) = self.dual(value, stmt.origin, &mut shared);
                    let zero = value.ty.is_float().then(|| Expr::float(value.ty, 0.0));
                    rule.args.push(UserArg::Value(value));
                    rule.args.extend(tangent.or(zero).map(UserArg::Value));
                }
                (_, Some(buffer)) => {
                    let is_float = self.program[buffer].elem.is_float();
                    let tangent = is_float.then(|| self.tangent_or_zero(&mut shared, stmt, buffer));
                    let buffer = match self.dropped.contains(buffer) {
                        true => self.zeros(&mut shared, stmt, buffer, self.program[buffer].dims.clone()),
                        false => buffer,
                    };
                    for each in [buffer].into_iter().chain(tangent) {
                        rule.args.push(arg.clone());
                        lent.push(each);
                        changed.extend(matches!(arg, UserArg::Mutable).then_some(each));
                    }
                }
                (_, None) => {}
            }
        }
        for &result in call.returned(writes) {
            results.extend([result, self.tangent_or_zero(&mut shared, stmt, result)]);
        }
        let kind = StmtKind::Call {
            callee: Callee::User(Box::new(rule)),
            reads: lent,
            writes: changed.into_iter().chain(results).collect(),
        };
        shared.around(vec![Stmt::new(kind, derived(stmt))], stmt.origin, out);
    }

    /// The tangent of a buffer, or zeros in its place.
    fn tangent_or_zero(&mut self, shared: &mut Shared, stmt: &Stmt, buffer: BufferId) -> BufferId {
        if let Some(tangent) = self.tangent(buffer) {
            return tangent;
        }
        let extents = (0..self.program[buffer].rank()).map(|dim| self.program.extent(buffer, dim)).collect();
        let zeros = self.zeros(shared, stmt, buffer, extents);
        self.program[zeros].name += "_dot";
        zeros
    }

    /// Zeros of the type of a buffer, and of these extents.
    fn zeros(&mut self, shared: &mut Shared, stmt: &Stmt, like: BufferId, extents: Vec<Expr>) -> BufferId {
        let Buffer { name, elem, .. } = &self.program[like];
        let (zeros, zero) = (Buffer::new(name, *elem, extents.clone(), Role::Local), Expr::float(*elem, 0.0));
        let zeros = self.program.add_buffer(zeros);
        let fill = over_elements(self.program, extents, derived(stmt), &mut |index| {
            Stmt::assign(Place::new(zeros, index.to_vec()), zero.clone(), derived(stmt))
        });
        shared.names.push(zeros);
        shared.code.push(fill);
        zeros
    }

    /// Refuses a call of a function, or of a rule, whose tangents nothing computes.
    fn refuse_without_rule(&mut self, stmt: &Stmt, call: &UserCall) {
        let span = self.program.spans.get(stmt.origin.span.0 as usize).copied();
        let (of, option) = (&call.function, self.option);
        let (what, why, help) = match (option, &call.vjp) {
            (OF_HVP, None) => (
                format!("second derivatives through the rule `{of}`, whose tangent is not known"),
                "it is no function of this module without parameters in `<…>`, so that it is not looked into",
                format!(
                    "write `custom(vjp = {of}, jvp = …, vjp_jvp = …)`, where `vjp_jvp` has the arguments of `{of}`, each float followed by its tangent, or remove `hvp`"
                ),
            ),
            _ => (
                format!("`{option}` through `{of}`, which has no rule for it"),
                "its body is not looked into, and its rule `vjp` computes adjoints alone",
                format!(
                    "write `custom(vjp = …, jvp = {of}_jvp)`, where `{of}_jvp` has the contract of `{of}::jvp`, or remove `{option}`"
                ),
            ),
        };
        self.refusals.push(Refusal::new(span.unwrap_or_else(proc_macro2::Span::call_site), what, why, help));
    }
}
