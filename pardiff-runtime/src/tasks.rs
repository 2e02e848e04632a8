//! Parallel loops.

/// Runs `task` for each of `0..chunks`: one task a chunk on rayon's threads, or in order on this thread where there is
/// but one chunk or thread, or no feature `parallel`. A panic of a task comes out here, after the tasks that run.
#[inline]
pub fn tasks(chunks: usize, task: impl Fn(usize) + Sync + Send) {
    if chunks <= 1 {
        if chunks == 1 {
            task(0);
        }
        return;
    }
    many(chunks, &task);
}

#[cfg(feature = "parallel")]
fn many(chunks: usize, task: &(impl Fn(usize) + Sync + Send)) {
    use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
    if rayon::current_num_threads() == 1 {
        return (0..chunks).for_each(task);
    }
    (0..chunks).into_par_iter().with_max_len(1).for_each(task);
}

#[cfg(not(feature = "parallel"))]
fn many(chunks: usize, task: &(impl Fn(usize) + Sync + Send)) {
    (0..chunks).for_each(task);
}
