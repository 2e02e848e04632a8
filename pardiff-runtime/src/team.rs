//! The threads that share the chunks of a parallel loop.

use rayon::Scope;
use std::hint::spin_loop;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often this thread asks whether the others have ended before it sleeps until they have: some 50 microseconds.
const PATIENCE: usize = 4000;

/// Runs `task` for each of `0..chunks` on this thread and on `threads - 1` of rayon's.
///
/// A gradient is many short parallel loops in a row, and is called from a thread that is not one of rayon's. Rayon's parallel
/// iterators would hand each loop over and let this thread sleep until it is done, which takes as long as the loop. So this
/// thread is one of the team: it works on its own share at once, takes over what the others have not begun, and waits awake
/// for what they have.
pub(crate) fn run(chunks: usize, threads: usize, task: &(dyn Fn(usize) + Sync)) {
    let team = &Team::new(chunks, threads, task);
    rayon::in_place_scope(|scope| {
        team.work(0..threads, scope);
        team.wait();
    });
}

struct Team<'a> {
    task: &'a (dyn Fn(usize) + Sync),
    shares: Vec<Share>,
    /// How many members have not come to their end.
    at_work: AtomicUsize,
}

/// The next chunk of a member's own, in a cache line of its own: chunks that follow each other are one member's as long as
/// it keeps up, so that what a loop leaves in a core's cache is there for the loop behind it.
#[repr(align(128))]
struct Share {
    next: AtomicUsize,
    end: usize,
}

impl<'a> Team<'a> {
    fn new(chunks: usize, threads: usize, task: &'a (dyn Fn(usize) + Sync)) -> Self {
        let size = chunks.div_ceil(threads);
        let share = |member: usize| Share {
            next: AtomicUsize::new(member * size),
            end: chunks.min((member + 1) * size),
        };
        Team { task, shares: (0..threads).map(share).collect(), at_work: AtomicUsize::new(threads) }
    }

    /// What each of `members` has to do. The later half of them is handed over until one is left, so that the last of many
    /// threads has not to wait until one thread has woken all the others.
    fn work<'scope>(&'scope self, mut members: Range<usize>, scope: &Scope<'scope>) {
        while members.len() > 1 {
            let middle = members.start + members.len() / 2;
            let later = middle..members.end;
            scope.spawn(move |scope| self.work(later, scope));
            members.end = middle;
        }
        let (before, own) = self.shares.split_at(members.start);
        for share in own.iter().chain(before) {
            share.drain(self.task);
        }
        self.at_work.fetch_sub(1, Ordering::Relaxed);
    }

    /// A while for the others to end, where this thread would sleep otherwise: one of rayon's looks for other work instead.
    fn wait(&self) {
        if rayon::current_thread_index().is_some() {
            return;
        }
        for _ in 0..PATIENCE {
            if self.at_work.load(Ordering::Relaxed) == 0 {
                return;
            }
            spin_loop();
        }
    }
}

impl Share {
    fn drain(&self, task: &(dyn Fn(usize) + Sync)) {
        loop {
            let chunk = self.next.fetch_add(1, Ordering::Relaxed);
            if chunk >= self.end {
                return;
            }
            task(chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::{Barrier, Mutex};
    use std::thread;

    #[test]
    fn shares_are_all_chunks_for_any_number_of_members() {
        for (chunks, threads) in [(2, 2), (5, 4), (7, 3), (9, 8), (256, 5), (17, 17)] {
            let runs: Vec<AtomicUsize> = (0..chunks).map(|_| AtomicUsize::new(0)).collect();
            run(chunks, threads, &|chunk| {
                runs[chunk].fetch_add(1, Ordering::Relaxed);
            });
            assert!(
                runs.iter().all(|runs| runs.load(Ordering::Relaxed) == 1),
                "{chunks} chunks, {threads} threads"
            );
        }
    }

    #[test]
    fn the_thread_that_calls_works_too() {
        // each of two chunks waits for the other, and a member runs one of them
        let (barrier, ids) = (Barrier::new(2), Mutex::new(HashSet::new()));
        run(2, 2, &|_| {
            barrier.wait();
            ids.lock().unwrap().insert(thread::current().id());
        });
        let ids = ids.into_inner().unwrap();
        assert!(ids.len() == 2 && ids.contains(&thread::current().id()));
    }

    #[test]
    fn what_a_member_does_not_come_to_is_done_by_others() {
        // the first chunk ends after all others, those of its own share among them
        let others = AtomicUsize::new(0);
        run(9, 2, &|chunk| match chunk {
            0 => {
                while others.load(Ordering::Relaxed) < 8 {
                    thread::yield_now();
                }
            }
            _ => {
                others.fetch_add(1, Ordering::Relaxed);
            }
        });
        assert_eq!(others.into_inner(), 8);
    }
}
