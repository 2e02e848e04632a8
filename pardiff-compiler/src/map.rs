//! Maps whose keys are small numbers, short lists of them and names.
//!
//! Users' builds run the compiler without optimisation, where the hash of std's maps takes longer than the look-up. Nobody
//! chooses keys of these maps in order to make them slow.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map that hashes with one multiplication a number.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixed>>;

/// The hash of the numbers so far.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Mixed(u64);

impl Mixed {
    fn add(&mut self, number: u64) {
        let mixed = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // the upper bits of a product are the better ones, and maps look at both ends
        self.0 = mixed ^ (mixed >> 32);
    }
}

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            // up to eight bytes are one number
            let mut number = 0;
            let end = bytes.len().min(at + 8);
            while at < end {
                number = number << 8 | u64::from(bytes[at]);
                at += 1;
            }
            self.add(number);
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.add(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.add(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.add(number);
    }

    fn write_i128(&mut self, number: i128) {
        self.add(number as u64);
    }

    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.add(number as u64);
    }
}
