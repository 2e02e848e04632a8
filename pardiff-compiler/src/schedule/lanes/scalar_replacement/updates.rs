//! An element that a lane loop updates more than once is held in a register meanwhile.
//!
//! ```text
//! for l in 0..w lanes                     for l in 0..w lanes
//!   y[b, l] += e[a] * x[a, l]               scope y_held: f64
//!   y[b, l] += e[a + 1] * x[a + 1, l]         y_held = y[b, l]
//!                                             y_held += e[a] * x[a, l]
//!                                             y_held += e[a + 1] * x[a + 1, l]
//!                                             y[b, l] = y_held
//! ```
//!
//! rustc cannot do this: as far as it knows the store of one sum may change what the next one loads.
//!
//! *Legality.* All accesses of the buffer in the loop stand in the list of its body, so every iteration makes them all.
//! Each is at the neighbour of what the iteration before accesses; two of them are at one index, or there is a dimension
//! in which the lane does not count and their difference is a number other than zero, so that no lane touches at one
//! what another one touches at the other. What an index reads is not written in the loop. So between the first and the
//! last access of an element by an iteration nothing else touches it, and the register has its value. It is loaded only
//! where the first access reads it, and stored only where one of them writes it.

use super::loads::opened;
use crate::ir::{Block, BufferId, BufferSet, For, Place, Program, Role, Stmt, replace_loads, written};
use crate::schedule::lanes::stride::{Walk, difference, walk};

/// What a loop does to one element of each lane.
struct Element {
    place: Place,
    /// Loads and stores.
    accesses: usize,
    written: bool,
    /// Whether the first access reads it.
    read_first: bool,
    /// The first statement that touches it.
    first: usize,
}

/// Holds what a lane loop updates more than once.
pub(crate) fn hold(program: &mut Program, lanes: &mut For) {
    let (mut held, mut list) = opened(std::mem::take(&mut lanes.body));
    let writes = written(&list);
    let own: BufferSet = held.iter().copied().collect();
    let candidates = program.buffer_ids().filter(|&buffer| {
        writes.contains(buffer) && !own.contains(buffer) && program[buffer].elem.is_float()
    });
    let mut stores = Block::new();
    for buffer in candidates.collect::<Vec<_>>() {
        let Some(mut elements) = elements(&list, buffer, lanes, &writes) else { continue };
        elements.retain(|element| {
            let left = usize::from(element.read_first) + usize::from(element.written);
            element.accesses > left
        });
        // from the last to the first, so that the numbers of statements stay right
        elements.sort_by_key(|element| std::cmp::Reverse(element.first));
        for element in elements {
            let elem = program[buffer].elem;
            let name = format!("{}_held", program[buffer].name);
            let register = program.add_scalar(&name, elem, Role::Local);
            held.push(register);
            let value = program.load_scalar(register);
            let origin = list[element.first].origin;
            replace_loads(&mut list, &element.place, &value);
            for stmt in &mut list {
                if let Some((target, _)) = stmt.as_store_mut()
                    && *target == element.place
                {
                    *target = Place::scalar(register);
                }
            }
            if element.written {
                let target = element.place.clone();
                stores.push(Stmt::assign(target, value, origin));
            }
            if element.read_first {
                list.insert(element.first, Stmt::set(register, element.place.load(elem), origin));
            }
        }
    }
    stores.reverse();
    list.extend(stores);
    lanes.body = crate::ir::scoped(held, list);
}

/// The elements of a buffer that an iteration touches; nothing where they may meet.
fn elements(list: &Block, buffer: BufferId, lanes: &For, writes: &BufferSet) -> Option<Vec<Element>> {
    let mut found: Vec<Element> = Vec::new();
    let mut apart = true;
    for (number, stmt) in list.iter().enumerate() {
        if !stmt.blocks().is_empty() {
            let mut mentioned = false;
            crate::schedule::lanes::laneable::places(stmt, &mut |place| mentioned |= place.buffer == buffer);
            apart &= !mentioned;
            continue;
        }
        let mut see = |place: &Place, accesses: usize, written: bool, reads: bool| {
            if place.buffer != buffer {
                return;
            }
            let of = |place: &Place| writes.contains(place.buffer);
            apart &= walk(place, lanes.iter, &of) == Walk::Contiguous;
            if let Some(known) = found.iter_mut().find(|known| known.place == *place) {
                known.accesses += accesses;
                known.written |= written;
                return;
            }
            apart &= found.iter().all(|known| differ(&known.place, place, lanes));
            let place = place.clone();
            found.push(Element { place, accesses, written, read_first: reads, first: number });
        };
        stmt.each_expr(&mut |expr| expr.each_load(&mut |place| see(place, 1, false, true)));
        if let Some((target, _)) = stmt.as_assign() {
            see(target, 1, true, false);
        } else if let Some(update) = stmt.as_update() {
            see(update.target, 2, true, true);
        } else {
            stmt.as_check()?;
        }
    }
    apart.then_some(found)
}

/// Whether no lane touches at one place what a lane touches at the other.
fn differ(a: &Place, b: &Place, lanes: &For) -> bool {
    let both = a.index.iter().zip(&b.index);
    both.into_iter().any(|(a, b)| {
        !a.mentions(lanes.iter)
            && !b.mentions(lanes.iter)
            && difference(a, b).is_some_and(|difference| difference != 0)
    })
}
