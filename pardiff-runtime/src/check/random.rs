//! Random numbers for directions and seeds, the same in every run.

/// A generator of the family splitmix64 (Steele, Lea and Flood: Fast splittable pseudorandom number generators, 2014).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new() -> Random {
        Random(0x0009_a2d1_ff00)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number whose magnitude is in `[0.5, 1)`, of either sign: no element of a direction is nearly left out.
    pub(super) fn weight(&mut self) -> f64 {
        let bits = self.next();
        let magnitude = 0.5 + (bits >> 12) as f64 / (1_u64 << 53) as f64;
        if bits & 1 == 0 { magnitude } else { -magnitude }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_of_either_sign_and_not_small() {
        let mut random = Random::new();
        let weights: Vec<f64> = (0..1000).map(|_| random.weight()).collect();
        assert!(weights.iter().all(|w| (0.5..1.0).contains(&w.abs())));
        let positive = weights.iter().filter(|w| **w > 0.0).count();
        assert!((400..600).contains(&positive), "{positive}");
    }
}
