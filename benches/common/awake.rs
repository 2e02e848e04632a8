//! All threads of a pool, running at the same moment.
//!
//! Threads that slept for milliseconds may all be woken on one core; until the operating system has moved one of them, a
//! call below a millisecond takes as long as on one thread, and it does so in all repetitions of one process and in none of
//! another. Programs that are compared have to begin alike, so both begin with this.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Meetings in a row, each of them quick, after which the threads are taken to run at once.
const QUICK: usize = 20;
/// What a meeting of running threads takes at most; one that waits for a time slice takes milliseconds.
const MEETING: Duration = Duration::from_micros(20);
/// What is spent on it at most.
const PATIENCE: Duration = Duration::from_millis(50);

/// Returns when all threads of the pool that this runs in have met several times in a row without a wait, or when that took
/// too long.
pub fn awake() {
    let threads = rayon::current_num_threads();
    if threads == 1 {
        return;
    }
    let (met, quick) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let start = Instant::now();
    rayon::broadcast(|context| {
        let mut meetings = 0;
        let mut meet = || {
            meetings += 1;
            met.fetch_add(1, Ordering::AcqRel);
            while met.load(Ordering::Acquire) < meetings * threads {
                spin_loop();
            }
        };
        while quick.load(Ordering::Relaxed) < QUICK {
            let began = Instant::now();
            meet();
            // one of them decides for all, between two meetings
            if context.index() == 0 {
                let next = if began.elapsed() < MEETING { quick.load(Ordering::Relaxed) + 1 } else { 0 };
                quick.store(if start.elapsed() > PATIENCE { QUICK } else { next }, Ordering::Relaxed);
            }
            meet();
        }
    });
}
