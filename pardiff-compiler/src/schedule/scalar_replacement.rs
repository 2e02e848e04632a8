//! An element of a task's own that a loop updates in every iteration is a register meanwhile.
//!
//! ```text
//! for k in lo..hi                      if lo < hi
//!   s[l] += x[k] * y[p[k]]               scope s_held: f64
//!                               =>         s_held = s[l]
//!                                          for k in lo..hi
//!                                            s_held += x[k] * y[p[k]]
//!                                          s[l] = s_held
//! ```
//!
//! rustc may not do this where an index may be out of range: the element would have to be there when the call panics. So
//! each addition waited for the store of the one before.
//!
//! *Legality.* The array is declared in the task, so that nobody sees it when the call panics. The loop accesses it at one
//! index alone, which nothing in the loop changes, and every iteration updates that element: if there is an iteration, the
//! element is there. Where the bounds are numbers, nothing asks whether there is one. The updates keep their order.

use super::lanes::Accesses;
use crate::ir::{
    BinOp, Block, Buffer, BufferId, BufferSet, Exec, Expr, For, Place, Program, Role, Stmt, replace_loads,
    written,
};

/// Holds such elements in the innermost loops of a block that run in order.
pub(super) fn hold_updates(program: &mut Program, block: &mut [Stmt]) {
    Hold { program, own: BufferSet::new() }.block(block);
}

struct Hold<'a> {
    program: &'a mut Program,
    /// Arrays declared in the task.
    own: BufferSet,
}

impl Hold<'_> {
    /// Goes through a block; whether there is a loop in it.
    fn block(&mut self, block: &mut [Stmt]) -> bool {
        let mut loops = false;
        for stmt in block {
            let is_loop = stmt.is_loop();
            let around = self.own.clone();
            self.own.extend(stmt.declares().iter().copied());
            if stmt.as_for().is_some_and(|each| matches!(each.exec, Exec::Parallel(_))) {
                self.own = BufferSet::new();
            }
            let inside = stmt.blocks_mut().into_iter().fold(false, |loops, inner| loops | self.block(inner));
            self.own = around;
            if is_loop && !inside {
                self.innermost(stmt);
            }
            loops |= is_loop || inside;
        }
        loops
    }

    /// Holds what an innermost loop updates, if it runs in order.
    fn innermost(&mut self, stmt: &mut Stmt) {
        let Some(each) = stmt.as_for() else { return };
        if each.exec != Exec::Sequential {
            return;
        }
        let places = updated(self.program, each, &|buffer| self.own.contains(buffer));
        if places.is_empty() {
            return;
        }
        let op = if each.inclusive { BinOp::Le } else { BinOp::Lt };
        let cond = Expr::binary(op, each.lo.clone(), each.hi.clone());
        let has_iterations = each.constant_trip().is_some_and(|trip| trip > 0);
        let origin = stmt.origin;
        let (mut held, mut loads, mut stores) = (Vec::new(), Block::new(), Block::new());
        let mut inner = stmt.clone();
        for place in places {
            let Buffer { name, elem, .. } = &self.program[place.buffer];
            let (name, elem) = (format!("{name}_held"), *elem);
            let register = self.program.add_scalar(&name, elem, Role::Local);
            let value = self.program.load_scalar(register);
            replace_loads(std::slice::from_mut(&mut inner), &place, &value);
            redirect(&mut inner, &place, register);
            held.push(register);
            loads.push(Stmt::set(register, place.clone().load(elem), origin));
            stores.push(Stmt::assign(place, value, origin));
        }
        loads.push(inner);
        loads.extend(stores);
        let then = Stmt::scope(held, loads, origin);
        *stmt = if has_iterations { then } else { Stmt::when(cond, vec![then], origin) };
    }
}

/// The elements of such arrays that a loop updates in every iteration and that may be registers.
pub(crate) fn updated(program: &Program, each: &For, may_be: &dyn Fn(BufferId) -> bool) -> Vec<Place> {
    let mut targets = Vec::new();
    unconditional(&each.body, &mut targets);
    targets.retain(|place| !place.index.is_empty() && may_be(place.buffer));
    if targets.is_empty() {
        return targets;
    }
    let Some(accesses) = Accesses::of(&each.body) else { return Vec::new() };
    let written = written(&each.body);
    let declared = crate::ir::declared(&each.body);
    let is_fixed = |index: &Expr| {
        let own = index.mentions(each.iter) || index.names_any(&declared);
        !own && !index.reads_any(program, &written)
    };
    let mut found: Vec<Place> = Vec::new();
    for place in targets {
        let alone = accesses.iter().all(|(other, _)| other.buffer != place.buffer || *other == place);
        if alone && place.index.iter().all(is_fixed) && !found.contains(&place) {
            found.push(place);
        }
    }
    found
}

/// What statements update that are executed whenever their block is.
fn unconditional(block: &Block, found: &mut Vec<Place>) {
    for stmt in block {
        found.extend(stmt.as_update().map(|update| update.target.clone()));
        if let Some((_, body)) = stmt.as_scope() {
            unconditional(body, found);
        }
    }
}

/// Writes what goes to a place to a scalar.
pub(crate) fn redirect(stmt: &mut Stmt, place: &Place, register: BufferId) {
    stmt.walk_mut(&mut |stmt| {
        if let Some((target, _)) = stmt.as_store_mut()
            && target == place
        {
            *target = Place::scalar(register);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::hold_updates;
    use crate::schedule::lanes::tests::{Arg, assert_same, changed};

    /// Sums of rows in an array of the loop's own, and what became of them.
    fn held(body: &str) -> String {
        held_in("0..m", body)
    }

    /// The same where the loop has these bounds.
    fn held_in(bounds: &str, body: &str) -> String {
        let text = format!(
            "
            fn f(x: in f64[_], y: inout f64[_], p: in usize[_], n: in usize, m: in usize) -> total: f64
              total = 0.0
              for i in 0..n sequential
                scope s: f64[4], at: usize
                  s[0] = 1.0
                  s[1] = 2.0
                  at = 0
                  for k in {bounds} sequential
                    {body}
                  total += s[0] + s[1]
            "
        );
        let (before, after) = changed(&text, &mut |program, stmt| {
            hold_updates(program, std::slice::from_mut(stmt));
        });
        for (n, m) in [(0, 3), (2, 0), (3, 5)] {
            let args = |name: &str| match name {
                "n" => Arg::Size(n),
                "m" => Arg::Size(m),
                "p" => Arg::Indices((0..8).map(|k| k % 2).collect()),
                _ => Arg::Floats(8),
            };
            assert_same(&before, &after, &args);
        }
        after.to_string()
    }

    #[test]
    fn an_element_that_every_iteration_updates_is_a_register() {
        for body in [
            "s[p[i]] += x[k] * y[p[k]]",
            "s[1] max= x[k]",
            "check k < 7 \"k\"\n                    s[1] += x[k]",
        ] {
            let made = held(body);
            assert!(made.contains("if 0 < m"), "{made}");
            assert!(made.contains("scope s_held: f64"), "{made}");
        }
    }

    #[test]
    fn nothing_asks_whether_a_loop_between_numbers_has_an_iteration() {
        let made = held_in("1..4", "s[1] += x[k]");
        assert!(made.contains("scope s_held: f64") && !made.contains("if "), "{made}");
        let made = held_in("4..4", "s[1] += x[k]");
        assert!(made.contains("if 4 < 4"), "{made}");
    }

    #[test]
    fn other_elements_stay_where_they_are() {
        let others = [
            // others see it
            "y[i] += x[k]",
            // not one element
            "s[p[k]] += x[k]",
            "s[0] += x[k]\n                    s[1] += s[p[k]]",
            "s[at] += x[k]\n                    at = p[k]",
            // perhaps no iteration reaches it
            "if x[k] > 0.5\n                      s[at + 9] += x[k]",
        ];
        for body in others {
            let made = held(body);
            assert!(!made.contains("_held"), "{made}");
        }
    }
}
