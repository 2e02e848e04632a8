//! Rules over arrays in a batch: the rule is called once for each member.
//!
//! ```text
//!                                                  for w in 0..8
//!                                                    t[e] = d_x[e, w]; s[e] = d_y[e, w]
//! call user solve_vjp (&x, &mut d_x, &mut y,  =>     call user solve_vjp (&x, &mut t, &mut u, &mut s)
//!   &mut d_y)                                        d_x[e, w] = t[e]; d_y[e, w] = s[e]
//! ```
//!
//! where `u` is a copy of `y` for each member. *Legality*: a rule is pure. What it finds besides derivatives does not
//! depend on them: it is the same for all members, each of which begins with what was there before; that of the last
//! one stays.

use super::batch::Batching;
use crate::ir::{
    Block, Buffer, BufferId, Callee, Expr, For, Origin, Place, Role, Stmt, StmtKind, Ty, UserCall,
    over_elements,
};

impl Batching<'_> {
    /// The loop over the batch around a call of a rule.
    pub(super) fn for_each_member(
        &mut self,
        call: UserCall,
        reads: &[BufferId],
        writes: &[BufferId],
        origin: Origin,
    ) -> Stmt {
        let iter = self.program.add_iter("w", Ty::USIZE);
        let (mut own, mut body, mut ends, mut behind) =
            (Vec::new(), Block::new(), Block::new(), Block::new());
        let returned = writes.iter().filter(|it| !reads.contains(it));
        for &of in reads.iter().chain(returned) {
            let (is_wide, is_written) = (self.wide.contains(of), writes.contains(&of));
            if !is_wide && !is_written {
                continue;
            }
            let Buffer { name, elem, dims, .. } = self.program[of].clone();
            let member = self.program.add_buffer(Buffer::new(&name, elem, dims, Role::Local));
            own.push((of, member));
            if reads.contains(&of) {
                body.push(self.moved((of, member), origin, true));
            }
            match (is_written, is_wide) {
                (true, true) => ends.push(self.moved((of, member), origin, false)),
                (true, false) => behind.push(self.moved((of, member), origin, false)),
                (false, _) => {}
            }
        }
        let renamed = |buffers: &[BufferId]| {
            let member =
                |of: &BufferId| own.iter().find(|(it, _)| it == of).map_or(*of, |(_, member)| *member);
            buffers.iter().map(member).collect()
        };
        let kind = StmtKind::Call {
            callee: Callee::User(Box::new(call)),
            reads: renamed(reads),
            writes: renamed(writes),
        };
        body.push(Stmt::new(kind, origin));
        body.append(&mut ends);
        self.widen_block(&mut body, iter);
        let members = For::counted(iter, Expr::usize(self.width), body).stmt(origin);
        let all = std::iter::once(members).chain(behind).collect();
        Stmt::scope(own.into_iter().map(|(_, member)| member).collect(), all, origin)
    }

    /// Copies what a member has of a buffer to an array of its own, or back.
    fn moved(&mut self, (of, member): (BufferId, BufferId), origin: Origin, is_lent: bool) -> Stmt {
        let Buffer { elem, dims, .. } = self.program[of].clone();
        let (to, from) = if is_lent { (member, of) } else { (of, member) };
        over_elements(self.program, dims, origin, &mut |index| {
            let [to, from] = [to, from].map(|buffer| Place::new(buffer, index.to_vec()));
            Stmt::assign(to, from.load(elem), origin)
        })
    }
}
