//! Floats that begin at a cache line.

use std::ops::{Deref, DerefMut};

/// A fixed number of floats whose first lies at a multiple of 64 bytes.
pub struct Aligned {
    memory: Vec<f64>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// Zeros.
    pub fn zeros(len: usize) -> Aligned {
        let memory = vec![0.0; len + 8];
        let start = memory.as_ptr().align_offset(64);
        Aligned { memory, start, len }
    }

    /// A copy.
    pub fn of(values: &[f64]) -> Aligned {
        let mut aligned = Aligned::zeros(values.len());
        aligned.copy_from_slice(values);
        aligned
    }
}

impl Deref for Aligned {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.memory[self.start..self.start + self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::Aligned;

    #[test]
    fn begins_at_a_cache_line() {
        for len in [0, 1, 7, 1000] {
            let aligned = Aligned::of(&vec![1.5; len]);
            assert_eq!(aligned.as_ptr().addr() % 64, 0);
            assert_eq!(aligned.len(), len);
            assert!(aligned.iter().all(|&x| x == 1.5));
        }
    }
}
