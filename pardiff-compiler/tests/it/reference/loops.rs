//! Loops, and the jumps in them.

use super::*;

impl Lower<'_> {
    pub(super) fn for_loop(
        &mut self,
        name: &str,
        range: &crate::random::program::Range,
        lines: &[Line],
    ) -> Block {
        let elem = ty(range.lo.ty);
        self.with_temporaries(|this, before| {
            let (lo, hi) = (this.expr(&range.lo, before), this.expr(&range.hi, before));
            let step = range.step.as_ref().map_or(Expr::usize(1), |step| this.expr(step, before));
            let iter = this.program.add_iter(name, if range.rev_first { Ty::USIZE } else { elem });
            let names = this.names.len();
            let mut declared = Vec::new();
            let mut first = Vec::new();
            let (lo, hi, inclusive, step, order) = if range.rev_first {
                // .rev().step_by(k): the last value, then k less each time
                let one = Expr::int(elem, 1);
                let end = if range.inclusive { hi + one.clone() } else { hi };
                let trips = Expr::call(Ty::USIZE, Func::TripCount, vec![lo, end.clone(), step.clone()]);
                let own = this.local(name, elem);
                declared.push(own);
                let back = (Expr::iter(iter, Ty::USIZE) * step).cast(elem);
                first.push(assign(Place::scalar(own), end - one - back));
                this.bind(name, Binding::Scalar(own));
                (Expr::usize(0), trips, false, Expr::usize(1), Order::Up)
            } else {
                this.bind(name, Binding::Iter(iter, elem));
                (lo, hi, range.inclusive, step, if range.rev { Order::Down } else { Order::Up })
            };
            let saved = std::mem::take(&mut this.temporaries);
            first.extend(this.body_of_loop(lines));
            this.temporaries = saved;
            this.names.truncate(names);
            let body = scope(declared, first);
            let (exec, marks) = (Exec::Undecided, Marks::default());
            before.push(stmt(StmtKind::For(For { iter, lo, hi, inclusive, step, order, exec, marks, body })));
        })
    }

    /// A loop in the scope of its flags.
    pub(super) fn looped(&mut self, make: impl FnOnce(&mut Self) -> Block) -> Block {
        let flags = Flags { iteration: self.local("go", Ty::Bool), more: self.local("more", Ty::Bool) };
        self.running.push(flags);
        let mut body = vec![assign(Place::scalar(flags.more), Expr::bool(true))];
        body.extend(make(self));
        self.running.pop();
        scope(vec![flags.iteration, flags.more], body)
    }

    /// The body of the innermost loop: nothing once it was left.
    pub(super) fn body_of_loop(&mut self, lines: &[Line]) -> Block {
        let flags = *self.running.last().expect("inside of a loop");
        let mut then = vec![assign(Place::scalar(flags.iteration), Expr::bool(true))];
        then.extend(self.block(lines, |_| vec![]));
        vec![stmt(StmtKind::If { cond: self.load(flags.more), then, els: vec![] })]
    }

    /// As many iterations as there may be; those after the end do nothing.
    pub(super) fn while_loop(
        &mut self,
        line: &Line,
        most: &Rust,
        cond: Option<&Rust>,
        lines: &[Line],
    ) -> Block {
        let Line::While { counter, .. } = line else { return vec![] };
        let Binding::Scalar(counter) = self.find(counter) else { return vec![] };
        let cond_of = |this: &mut Self, before: &mut Block| {
            let most = this.expr(most, before);
            Expr::binary(BinOp::Lt, this.load(counter), most)
        };
        self.looped(|this| {
            let more = this.running.last().expect("pushed by looped").more;
            let iter = this.program.add_iter("round", Ty::USIZE);
            let saved = std::mem::take(&mut this.temporaries);
            let test = this.with_temporaries(|this, before| {
                let below = cond_of(this, before);
                before.push(assign(Place::scalar(more), below));
                if let Some(cond) = cond {
                    let then = this.store(Place::scalar(more), cond);
                    before.push(stmt(StmtKind::If { cond: this.load(more), then, els: vec![] }));
                }
            });
            let next = assign(Place::scalar(counter), this.load(counter) + Expr::usize(1));
            let counted = stmt(StmtKind::If { cond: this.load(more), then: vec![next], els: vec![] });
            let mut body =
                vec![stmt(StmtKind::If { cond: this.load(more), then: test, els: vec![] }), counted];
            body.extend(this.body_of_loop(lines));
            this.temporaries = saved;
            vec![each(iter, Expr::usize(MOST_ROUNDS), body)]
        })
    }
}

/// The jumps in a statement.
#[derive(Clone, Copy, Default)]
pub(super) struct Jumps {
    /// Whether the iteration of the loop around may end.
    pub(super) leaves: bool,
    /// Whether the function may return.
    pub(super) returns: bool,
}

pub(super) fn jumps(line: &Line) -> Jumps {
    let all = |lines: &[Line]| {
        lines.iter().map(jumps).fold(Jumps::default(), |a, b| Jumps {
            leaves: a.leaves || b.leaves,
            returns: a.returns || b.returns,
        })
    };
    match line {
        Line::Continue | Line::Break => Jumps { leaves: true, returns: false },
        Line::Return(_) => Jumps { leaves: true, returns: true },
        Line::If { then, els, .. } => all(&[&then[..], &els[..]].concat()),
        Line::Match { arms, .. } => {
            all(&arms.iter().flat_map(|(_, body)| body.iter().cloned()).collect::<Vec<_>>())
        }
        Line::Block(body) => all(body),
        Line::For { body, .. } | Line::Each { body, .. } | Line::While { body, .. } => {
            let returns = all(body).returns;
            Jumps { leaves: returns, returns }
        }
        _ => Jumps::default(),
    }
}
