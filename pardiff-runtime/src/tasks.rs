//! Parallel loops.

use crate::Disjoint;

/// Runs `task` for each of `0..chunks` on rayon's threads, or in order on this thread where there is but one chunk or
/// thread, or no feature `parallel`. A panic of a task comes out here, after the tasks that run.
///
/// The task is a `dyn` so that rayon's machinery is compiled once, here, and not with every loop of every user: a call for
/// each chunk is nothing beside the chunk.
#[inline]
pub fn tasks(chunks: usize, task: &(dyn Fn(usize) + Sync)) {
    match chunks {
        0 => {}
        1 => task(0),
        _ => many(chunks, task),
    }
}

#[cfg(feature = "parallel")]
fn many(chunks: usize, task: &(dyn Fn(usize) + Sync)) {
    match threads() {
        1 => (0..chunks).for_each(task),
        threads => crate::team::run(chunks, threads.min(chunks), task),
    }
}

#[cfg(feature = "parallel")]
fn threads() -> usize {
    rayon::current_num_threads()
}

#[cfg(not(feature = "parallel"))]
fn threads() -> usize {
    1
}

#[cfg(not(feature = "parallel"))]
fn many(chunks: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..chunks).for_each(task);
}

/// So many bytes are filled by a task, and arrays of up to four times as many by this thread alone: waking another one
/// takes as long as they do.
const FILLED: usize = 256 << 10;

/// Every element becomes `value`, by tasks where there are many: a thread alone does not fill the memory's bandwidth.
pub fn fill<T: Copy + Send + Sync>(slice: &mut [T], value: T) {
    if size_of_val(slice) <= 4 * FILLED || threads() == 1 {
        return slice.fill(value);
    }
    let piece = (FILLED / size_of::<T>()).max(1);
    let pieces = slice.len().div_ceil(piece);
    let all = Disjoint::new(slice);
    tasks(pieces, &|at| {
        let (from, len) = (at * piece, all.len());
        // Safety: a task's own part of the slice, which is borrowed until all tasks have ended
        let part = unsafe { std::slice::from_raw_parts_mut(all.as_ptr().add(from), piece.min(len - from)) };
        part.fill(value);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn every_chunk_runs_once() {
        for chunks in [0, 1, 2, 3, 17, 256] {
            let counts: Vec<AtomicUsize> = (0..chunks).map(|_| AtomicUsize::new(0)).collect();
            tasks(chunks, &|chunk| {
                counts[chunk].fetch_add(1, Ordering::Relaxed);
            });
            assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn every_element_is_filled_and_none_beside() {
        for len in [0, 1, 3 * FILLED / 8, 4 * FILLED / 8, 4 * FILLED / 8 + 1, FILLED - 1] {
            let mut memory = vec![1.0; len + 2];
            fill(&mut memory[1..=len], 0.0);
            assert!(memory[1..=len].iter().all(|&x| x == 0.0), "{len}");
            assert_eq!((memory[0], memory[len + 1]), (1.0, 1.0), "{len}");
        }
        let mut rows = vec![[1.0_f32; 3]; FILLED];
        fill(&mut rows, [2.0; 3]);
        assert!(rows.iter().all(|row| *row == [2.0; 3]));
        fill(&mut [(), ()], ());
    }

    #[test]
    fn one_chunk_runs_on_this_thread() {
        let here = thread::current().id();
        tasks(1, &|chunk| assert_eq!((chunk, thread::current().id()), (0, here)));
    }

    #[cfg(not(feature = "parallel"))]
    #[test]
    fn without_the_feature_chunks_run_in_order_on_this_thread() {
        let here = thread::current().id();
        let order = Mutex::new(Vec::new());
        tasks(9, &|chunk| {
            assert_eq!(thread::current().id(), here);
            order.lock().unwrap().push(chunk);
        });
        assert_eq!(order.into_inner().unwrap(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn one_thread_runs_chunks_in_order() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let order = Mutex::new(Vec::new());
        pool.install(|| tasks(9, &|chunk| order.lock().unwrap().push(chunk)));
        assert_eq!(order.into_inner().unwrap(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn chunks_run_on_several_threads() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // each of two chunks waits for the other: one thread alone would not come to an end
        let barrier = std::sync::Barrier::new(2);
        let ids = Mutex::new(Vec::new());
        pool.install(|| {
            tasks(2, &|_| {
                barrier.wait();
                ids.lock().unwrap().push(thread::current().id());
            });
        });
        let ids = ids.into_inner().unwrap();
        assert_ne!(ids[0], ids[1]);
    }

    #[test]
    fn a_panic_of_a_task_comes_out() {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            tasks(5, &|chunk| assert_ne!(chunk, 3, "chunk 3 fails"));
        }));
        let message = *panicked.unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains("chunk 3 fails"), "{message}");
    }
}
