//! The threads that share the chunks of a parallel loop.
//!
//! A gradient is many short parallel loops in a row, and is called from a thread that is not one of rayon's. Rayon's parallel
//! iterators would hand each loop over and let this thread sleep until it is done, which takes as long as the loop. So this
//! thread is one of the team: it works on its own share at once, and takes over what others have not begun.
//!
//! The others are volunteers. Whoever comes while there is work takes part, and only those are waited for: a thread that
//! sleeps, or that the system runs something else on, delays nobody. Whoever comes later finds that the team has gone.
//!
//! A volunteer who has done its part stays near for a while, and joins the caller's next team by itself: to wake a thread takes
//! longer than many a loop does.

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

/// How often a volunteer asks for the caller's next team before it goes: some 25 microseconds.
const NEAR: usize = 2000;

thread_local! {
    static CREW: Arc<Crew> = Arc::default();
}

/// The volunteers of a caller, from one team to the next.
#[derive(Default)]
struct Crew {
    /// How many were called and have not come.
    called: AtomicUsize,
    /// How many are near.
    near: AtomicUsize,
    /// The number of the latest team.
    number: AtomicUsize,
    /// The team that works now.
    team: Mutex<Option<Arc<Team>>>,
}

/// In `Team::state`, beside the number of volunteers at work: nobody is taken any more.
const GONE: usize = 1 << (usize::BITS - 1);

/// Runs `task` for each of `0..chunks` on this thread and on up to `threads - 1` of rayon's. A panic of a task comes out
/// here, after the tasks that run.
pub(crate) fn run(chunks: usize, threads: usize, task: &(dyn Fn(usize) + Sync)) {
    match CREW.try_with(Arc::clone) {
        Ok(crew) => crew.run(chunks, threads, task),
        // a thread that ends calls nobody
        Err(_) => (0..chunks).for_each(task),
    }
}

/// What a team does for each chunk.
///
/// It is borrowed from the caller of `Crew::run`. Safety: `run` does not return before `Team::close` has, which waits for all that
/// take part, and nobody follows the pointer who does not take part.
struct Task(*const (dyn Fn(usize) + Sync));

// Safety: what it points to is `Sync`
unsafe impl Send for Task {}
unsafe impl Sync for Task {}

impl Crew {
    fn run(self: &Arc<Crew>, chunks: usize, threads: usize, task: &(dyn Fn(usize) + Sync)) {
        let task: *const (dyn Fn(usize) + Sync + '_) = task;
        // Safety: the lifetime alone is changed; see `Task`
        let task = Task(unsafe {
            std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), *const (dyn Fn(usize) + Sync)>(task)
        });
        let team = Arc::new(Team::new(chunks, threads, task, self));
        let near = self.near.load(Ordering::Relaxed).min(threads - 1);
        if near > 0 {
            self.show(Some(team.clone()));
        }
        let own = catch_unwind(AssertUnwindSafe(|| Team::work(&team, 0..threads - near)));
        team.close();
        if near > 0 {
            self.show(None);
        }
        let theirs = team.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(failure) = own.err().or(theirs) {
            resume_unwind(failure);
        }
    }

    /// Shows those who are near the team that works now, or that it has gone.
    fn show(&self, team: Option<Arc<Team>>) {
        let is_new = team.is_some();
        *self.team.lock().unwrap_or_else(PoisonError::into_inner) = team;
        if is_new {
            self.number.fetch_add(1, Ordering::Release);
        }
    }

    /// The team that works now.
    fn shown(&self) -> Option<Arc<Team>> {
        self.team.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What a volunteer does who had the share of `member`: it takes part in the teams that it is shown, and goes when there has
    /// been none for a while.
    fn stay(&self, member: usize, mut known: usize) {
        let mut patience = NEAR;
        self.near.fetch_add(1, Ordering::Relaxed);
        while let Some(left) = patience.checked_sub(1) {
            let number = self.number.load(Ordering::Acquire);
            if number == known {
                patience = left;
                spin_loop();
                continue;
            }
            known = number;
            let Some(team) = self.shown() else { continue };
            self.near.fetch_sub(1, Ordering::Relaxed);
            let member = member % team.shares.len();
            if Team::take_part(&team, member..member + 1) {
                patience = NEAR;
            }
            self.near.fetch_add(1, Ordering::Relaxed);
        }
        self.near.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Team {
    task: Task,
    crew: Arc<Crew>,
    /// The number of the crew's latest team when this one was made.
    number: usize,
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
    fn new(chunks: usize, threads: usize, task: Task, crew: &Arc<Crew>) -> Team {
        let size = chunks.div_ceil(threads);
        let share = |member: usize| Share {
            next: AtomicUsize::new(member * size),
            end: chunks.min((member + 1) * size),
        };
        Team {
            task,
            crew: crew.clone(),
            number: crew.number.load(Ordering::Relaxed),
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
        let called = &team.crew.called;
        if called.load(Ordering::Relaxed) >= CALLED_FOR_A_THREAD * rayon::current_num_threads() {
            return;
        }
        called.fetch_add(1, Ordering::Relaxed);
        let team = team.clone();
        rayon::spawn(move || {
            let (crew, member, number) = (team.crew.clone(), members.start, team.number);
            crew.called.fetch_sub(1, Ordering::Relaxed);
            let took_part = Team::take_part(&team, members);
            drop(team);
            if took_part {
                crew.stay(member, number);
            }
        });
    }

    /// Does what each of `members` has to do, unless the team has gone or is complete.
    fn take_part(team: &Arc<Team>, members: Range<usize>) -> bool {
        let enters = team.enter();
        if enters {
            let done = catch_unwind(AssertUnwindSafe(|| Team::work(team, members)));
            if let Err(failure) = done {
                team.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
            }
            team.leave();
        }
        enters
    }

    /// Takes part, unless the team has gone or is complete.
    fn enter(&self) -> bool {
        let one_more = |state| (state & GONE == 0 && state + 1 < self.shares.len()).then_some(state + 1);
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
    fn volunteers_who_are_near_take_part_in_teams_of_any_size() {
        let runs = pool(4).install(|| {
            let runs = AtomicUsize::new(0);
            for round in 0..3000 {
                let chunks = 2 + round % 7;
                run(chunks, chunks.min(4), &|chunk| {
                    runs.fetch_add(1, Ordering::Relaxed);
                    // teams of other callers, and of the same one inside of its own
                    if round % 50 == 0 && chunk < 2 {
                        run(3, 3, &|_| _ = runs.fetch_add(1, Ordering::Relaxed));
                    }
                });
            }
            let crew = CREW.with(Arc::clone);
            assert!(crew.shown().is_none());
            runs.into_inner()
        });
        let own: usize = (0..3000).map(|round| 2 + round % 7).sum();
        assert_eq!(runs, own + 60 * 2 * 3);
    }

    #[test]
    fn who_is_near_joins_without_being_called() {
        let pool = pool(2);
        pool.install(|| {
            let crew = CREW.with(Arc::clone);
            // this thread is near the crew of another, as a volunteer
            let caller = thread::spawn({
                let crew = crew.clone();
                move || {
                    while crew.near.load(Ordering::Relaxed) == 0 {
                        spin_loop();
                    }
                    let helped = AtomicBool::new(false);
                    let caller = thread::current().id();
                    crew.run(2, 2, &|_| {
                        if thread::current().id() == caller {
                            while !helped.load(Ordering::Relaxed) {
                                thread::yield_now();
                            }
                        } else {
                            helped.store(true, Ordering::Relaxed);
                        }
                    });
                    helped.into_inner()
                }
            });
            while !caller.is_finished() {
                crew.stay(1, crew.number.load(Ordering::Relaxed));
            }
            assert!(caller.join().unwrap());
        });
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
