//! Software prefetch: a lane loop asks some iterations ahead for what it reads from memory, or writes to it.
//!
//! ```text
//! y[l] += s * x[l]            =>  x_run.ahead(at); y_run.ahead(at);
//! d_cameras[11 * l + 6] = t   =>  d_cameras_records.ahead(at);      # the eleven lines of eight records
//! d_cameras[11 * l + 7] = u
//! ```
//!
//! A core prefetches a stream that is read by itself. But a body of hundreds of operations leaves it few loads under
//! way, and it does little for what is written to records (measured for the Jacobian of bundle adjustment, three
//! rows of 15 numbers for each of 31,843 observations: 2.4 ms, and 1.8 ms when asked for). Nothing is asked for
//! twice, in a short loop, or for records longer than a row of lanes may be.
//!
//! *Legality.* A prefetch changes nothing, whatever the address is. The first position is computed before the loop:
//! it reads nothing that the loop writes, and its arithmetic wraps.

use super::access::Run;
use super::index::Stride;
use super::{Context, Lanes};
use crate::backend::rust::code;
use crate::ir::{Expr, Place, Role, Space, Update, offset_of, slope};
use crate::limits::{ELEMENTS_OF_A_SHORT_STREAM, LONGEST_LANE_ROW};
use proc_macro2::Ident;

impl Lanes<'_, '_> {
    /// Asks for what follows in a run of consecutive elements.
    pub(super) fn ask_for_run(&self, place: &Place, name: &Ident) {
        // what a task computes for itself is in a cache
        let ask = if self.is_short() || self.is_asked_for(place) {
            None
        } else if self.emitter.program.params.contains(&place.buffer) {
            Some(code!(#name.ahead))
        } else if self.is_left_for_later(place) {
            Some(code!(#name.ahead_to_write))
        } else {
            self.is_left_behind(place).then(|| code!(#name.behind))
        };
        self.streams.borrow_mut().extend(ask);
    }

    /// Asks for what follows of records that lie one behind the other, of which every iteration accesses an element.
    pub(super) fn ask_for_records(&self, place: &Place, context: &Context) {
        let position = self.position(place);
        let (base, _) = offset_of(&position);
        let is_near = |elements: i128| (2..=LONGEST_LANE_ROW).contains(&elements);
        let asked = (place.buffer, base);
        if !context.always
            || self.is_short()
            || !self.emitter.program.params.contains(&place.buffer)
            || !slope(&position, self.it.iter).is_some_and(is_near)
            || !self.is_invariant(&position, true)
            || self.records_asked.borrow().contains(&asked)
        {
            return;
        }
        let Some((Stride::By(stride), rest)) = self.split(&position) else { return };
        self.records_asked.borrow_mut().push(asked);
        let (runtime, array) = (&self.emitter.runtime, self.emitter.storage(place.buffer).name());
        let (name, start) =
            (self.emitter.fresh(&format!("{array}_records")), self.first_of(&rest, Some(&stride)));
        let new = code!(#runtime::ahead::Records::new(#array.as_ptr(), #start, #stride));
        self.before.borrow_mut().push(code!(let #name = #new;));
        let ask = match self.written.contains(place.buffer) {
            true => code!(#name.ahead_to_write),
            false => code!(#name.ahead),
        };
        self.streams.borrow_mut().push(ask);
    }

    fn is_short(&self) -> bool {
        self.it.constant_trip().is_some_and(|trip| trip <= ELEMENTS_OF_A_SHORT_STREAM)
    }

    /// Whether another run goes through the same cache lines: its elements are a few numbers apart, as neighbours in
    /// a row of a stencil are.
    fn is_asked_for(&self, place: &Place) -> bool {
        let (base, offset) = offset_of(&self.emitter.position(place));
        let is_near = |run: &Run| {
            let (other_base, other_offset) = offset_of(&self.emitter.position(&run.place));
            other_base == base && (other_offset - offset).abs() < 8
        };
        let runs = self.runs.borrow();
        runs.iter().filter(|run| run.place.buffer == place.buffer && run.place != *place).any(is_near)
    }

    /// Whether this reads a row of a tape whose rows are visited from the last one to the first. A core prefetches a
    /// stream that goes up, and seldom one that goes down; where a row of each of many arrays is read, it prefetches
    /// none.
    fn is_left_behind(&self, place: &Place) -> bool {
        let (emitter, it) = (self.emitter, &self.emitter.program[place.buffer]);
        let rows = place.index.len().checked_sub(2).map(|at| &place.index[at]);
        let visited_down = |row: &Expr| emitter.down.iter().any(|iter| row.mentions(*iter));
        it.role == Role::Tape
            && it.space != Space::Thread
            && !self.written.contains(place.buffer)
            && rows.is_some_and(visited_down)
    }

    /// Whether the loop writes elements of a local array and does not read them, and the array has more than two
    /// dimensions: then its rows are no longer in the nearest cache when they are written.
    fn is_left_for_later(&self, place: &Place) -> bool {
        let it = &self.emitter.program[place.buffer];
        let mut written = it.rank() > 2 && self.written.contains(place.buffer);
        for stmt in self.it.body.iter().take_while(|_| it.rank() > 2) {
            stmt.walk(&mut |stmt| {
                written &= stmt.as_update().is_none_or(|Update { target, .. }| target.buffer != place.buffer);
                for expr in stmt.exprs() {
                    expr.reads(self.emitter.program, &mut |buffer| written &= buffer != place.buffer);
                }
            });
        }
        written
    }
}
