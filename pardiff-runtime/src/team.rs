//! The threads that share the chunks of a parallel loop.
//!
//! A gradient is many short parallel loops in a row, and is called from a thread that is not one of rayon's. Rayon's parallel
//! iterators would hand each loop over and let this thread sleep until it is done, which takes as long as the loop. So this
//! thread is one of the team: it works on its own share at once, and takes over what others have not begun.
//!
//! The others are volunteers. Whoever comes while there is work takes part, and only those are waited for: a thread that
//! sleeps, or that the system runs something else on, delays nobody. Whoever comes later finds that the team has gone.

use std::any::Any;
use std::hint::spin_loop;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};

/// How often the caller asks whether the others have ended before it sleeps until they have: some 50 microseconds.
const PATIENCE: usize = 4000;

/// A thread calls no more volunteers while so many of its own for each thread have not come. Where threads have no time, more
/// would only pile up.
const CALLED_FOR_A_THREAD: usize = 2;

thread_local! {
    /// How many volunteers this thread has called who have not come.
    static CALLED: Arc<AtomicUsize> = Arc::default();
}

/// In `Team::state`, beside the number of volunteers at work: nobody is taken any more.
const GONE: usize = 1 << (usize::BITS - 1);

/// Runs `task` for each of `0..chunks` on this thread and on up to `threads - 1` of rayon's. A panic of a task comes out
/// here, after the tasks that run.
pub(crate) fn run(chunks: usize, threads: usize, task: &(dyn Fn(usize) + Sync)) {
    let task: *const (dyn Fn(usize) + Sync + '_) = task;
    // Safety: the lifetime alone is changed; see `Task`
    let task = Task(unsafe {
        std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), *const (dyn Fn(usize) + Sync)>(task)
    });
    let team = Arc::new(Team::new(chunks, threads, task));
    let own = catch_unwind(AssertUnwindSafe(|| Team::work(&team, 0..threads)));
    team.close();
    let theirs = team.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(failure) = own.err().or(theirs) {
        resume_unwind(failure);
    }
}

/// What a team does for each chunk.
///
/// It is borrowed from the caller of `run`. Safety: `run` does not return before `Team::close` has, which waits for all that
/// take part, and nobody follows the pointer who does not take part.
struct Task(*const (dyn Fn(usize) + Sync));

// Safety: what it points to is `Sync`
unsafe impl Send for Task {}
unsafe impl Sync for Task {}

struct Team {
    task: Task,
    shares: Vec<Share>,
    /// How many volunteers are at work, and whether the team has `GONE`.
    state: AtomicUsize,
    caller: Thread,
    failure: Mutex<Option<Box<dyn Any + Send>>>,
}

/// The next chunk of a member's own, in a cache line of its own: chunks that follow each other are one member's as long as
/// it keeps up, so that what a loop leaves in a core's cache is there for the loop behind it.
#[repr(align(128))]
struct Share {
    next: AtomicUsize,
    end: usize,
}

impl Team {
    fn new(chunks: usize, threads: usize, task: Task) -> Team {
        let size = chunks.div_ceil(threads);
        let share = |member: usize| Share {
            next: AtomicUsize::new(member * size),
            end: chunks.min((member + 1) * size),
        };
        Team {
            task,
            shares: (0..threads).map(share).collect(),
            state: AtomicUsize::new(0),
            caller: thread::current(),
            failure: Mutex::new(None),
        }
    }

    /// What each of `members` has to do, called by the caller or a volunteer at work. The later half of them is called until
    /// one is left, so that the last of many threads has not to wait until one thread has woken all the others.
    fn work(team: &Arc<Team>, mut members: Range<usize>) {
        while members.len() > 1 {
            let middle = members.start + members.len() / 2;
            Team::call(team, middle..members.end);
            members.end = middle;
        }
        // Safety: who is at work takes part
        let task = unsafe { &*team.task.0 };
        let (before, own) = team.shares.split_at(members.start);
        for share in own.iter().chain(before) {
            share.drain(task);
        }
    }

    /// Calls a volunteer for the first of `members`, who calls those for the others.
    fn call(team: &Arc<Team>, members: Range<usize>) {
        // a thread that ends calls nobody
        let Ok(called) = CALLED.try_with(Arc::clone) else { return };
        if called.load(Ordering::Relaxed) >= CALLED_FOR_A_THREAD * rayon::current_num_threads() {
            return;
        }
        called.fetch_add(1, Ordering::Relaxed);
        let team = team.clone();
        rayon::spawn(move || {
            called.fetch_sub(1, Ordering::Relaxed);
            if team.enter() {
                let done = catch_unwind(AssertUnwindSafe(|| Team::work(&team, members)));
                if let Err(failure) = done {
                    team.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
                }
                team.leave();
            }
        });
    }

    /// Takes part, unless the team has gone.
    fn enter(&self) -> bool {
        let one_more = |state| (state & GONE == 0).then_some(state + 1);
        self.state.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
    }

    fn leave(&self) {
        // what this volunteer wrote is seen by the caller, who acquires what is released here
        if self.state.fetch_sub(1, Ordering::Release) == GONE | 1 {
            self.caller.unpark();
        }
    }

    /// Takes nobody any more, and waits for those who take part: awake for a while, as their last chunks are short.
    fn close(&self) {
        let mut state = self.state.fetch_or(GONE, Ordering::Acquire) | GONE;
        let mut patience = PATIENCE;
        while state != GONE {
            match patience.checked_sub(1) {
                Some(left) => {
                    patience = left;
                    spin_loop();
                }
                None => thread::park(),
            }
            state = self.state.load(Ordering::Acquire);
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
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc;
    use std::time::Duration;

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

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
    fn nobody_waits_for_threads_that_do_not_come() {
        // the other thread of the pool is busy until the loops have ended
        let pool = pool(2);
        let (begun, busy) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        pool.spawn(move || {
            begun.send(()).unwrap();
            ended.recv().unwrap();
        });
        busy.recv_timeout(Duration::from_secs(60)).unwrap();
        let runs = pool.install(|| {
            let runs = AtomicUsize::new(0);
            for _ in 0..100 {
                run(9, 2, &|_| {
                    runs.fetch_add(1, Ordering::Relaxed);
                });
            }
            runs.into_inner()
        });
        assert_eq!(runs, 900);
        end.send(()).unwrap();
    }

    #[test]
    fn what_a_member_does_not_come_to_is_done_by_others() {
        // the first chunk ends after all others, those of its own share among them
        let others = AtomicUsize::new(0);
        pool(2).install(|| {
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
        });
        assert_eq!(others.into_inner(), 8);
    }

    #[test]
    fn a_volunteer_at_work_is_waited_for_and_its_panic_comes_out() {
        let (taken, ended) = (AtomicBool::new(false), AtomicBool::new(false));
        let caller = thread::current().id();
        let result = catch_unwind(AssertUnwindSafe(|| {
            run(2, 2, &|_| {
                if thread::current().id() == caller {
                    // the other chunk is the volunteer's
                    while !taken.load(Ordering::Relaxed) {
                        thread::yield_now();
                    }
                } else {
                    taken.store(true, Ordering::Relaxed);
                    thread::sleep(Duration::from_millis(20));
                    ended.store(true, Ordering::Relaxed);
                    panic!("of a volunteer");
                }
            });
        }));
        assert!(ended.into_inner());
        assert_eq!(result.unwrap_err().downcast_ref(), Some(&"of a volunteer"));
    }
}
