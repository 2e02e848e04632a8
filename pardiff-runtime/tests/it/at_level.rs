//! Generic code run at a level, compiled for it as generated code is: an inlined body, and a wrapper for each level.

use pardiff_runtime::simd::{Arrays, Baseline, Isa, Level, level};
#[cfg(target_arch = "x86_64")]
use pardiff_runtime::simd::{Avx2, Avx512};

/// Generic code; `run` is to be `#[inline(always)]`.
pub trait Job {
    /// What it gives.
    type Output;

    /// Runs with the vectors of a level.
    fn run<S: Isa>(self) -> Self::Output;
}

/// The vectors there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vectors {
    /// Those of architectures that have none of their own.
    Arrays,
    /// Those of a level.
    Of(Level),
}

/// The vectors that may run here.
pub fn levels() -> impl Iterator<Item = Vectors> {
    let levels = [Level::Baseline, Level::Avx2, Level::Avx512].into_iter().filter(|&other| other <= level());
    std::iter::once(Vectors::Arrays).chain(levels.map(Vectors::Of))
}

/// Runs `job` with vectors of [`levels`].
pub fn at<J: Job>(vectors: Vectors, job: J) -> J::Output {
    let at = match vectors {
        Vectors::Arrays => return arrays(job),
        Vectors::Of(level) => level,
    };
    assert!(at <= level());
    match at {
        // Safety: the level was detected
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512(job) },
        // Safety: the level was detected
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2(job) },
        _ => baseline(job),
    }
}

fn arrays<J: Job>(job: J) -> J::Output {
    job.run::<Arrays>()
}

fn baseline<J: Job>(job: J) -> J::Output {
    job.run::<Baseline>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,fma,avx2")]
fn avx512<J: Job>(job: J) -> J::Output {
    job.run::<Avx512>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<J: Job>(job: J) -> J::Output {
    job.run::<Avx2>()
}
