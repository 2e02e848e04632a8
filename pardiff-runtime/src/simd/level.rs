//! What the machine has, found once.

use std::sync::atomic::{AtomicU8, Ordering};

/// An instruction-set level; a higher one has what the lower ones have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Level {
    /// What every machine of the architecture has.
    Baseline = 1,
    /// AVX2 and FMA.
    Avx2 = 2,
    /// AVX-512 F, VL, DQ and BW.
    Avx512 = 3,
}

/// The level to run at: the machine's, or the lower one that `PARDIFF_ISA` (`baseline`, `avx2`, `avx512`) asks for.
/// Found at the first call; a later change of the variable is not seen.
#[inline]
pub fn level() -> Level {
    /// 0 is not yet known.
    static LEVEL: AtomicU8 = AtomicU8::new(0);
    match LEVEL.load(Ordering::Relaxed) {
        1 => Level::Baseline,
        2 => Level::Avx2,
        3 => Level::Avx512,
        _ => {
            let level = find();
            LEVEL.store(level as u8, Ordering::Relaxed);
            level
        }
    }
}

#[cold]
fn find() -> Level {
    lowered(detected(), std::env::var("PARDIFF_ISA").ok().as_deref())
}

/// `level`, or the lower one that is asked for by name; other names ask for nothing.
fn lowered(level: Level, asked: Option<&str>) -> Level {
    match asked {
        Some("baseline") => Level::Baseline,
        Some("avx2") => level.min(Level::Avx2),
        _ => level,
    }
}

#[cfg(target_arch = "x86_64")]
fn detected() -> Level {
    if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")) {
        return Level::Baseline;
    }
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw");
    if avx512 { Level::Avx512 } else { Level::Avx2 }
}

#[cfg(not(target_arch = "x86_64"))]
fn detected() -> Level {
    Level::Baseline
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_lowers_and_never_raises() {
        for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
            assert_eq!(lowered(level, Some("baseline")), Level::Baseline);
            assert_eq!(lowered(level, Some("avx2")), level.min(Level::Avx2));
            assert_eq!(lowered(level, Some("avx512")), level);
            assert_eq!(lowered(level, None), level);
            assert_eq!(lowered(level, Some("")), level);
        }
    }

    #[test]
    fn the_level_is_what_the_machine_has_or_less() {
        assert!(level() <= detected());
        assert_eq!(level(), level());
    }
}
