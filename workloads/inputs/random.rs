//! A linear congruential generator: the same numbers on every machine.

/// The generator's state.
pub struct Lcg(pub u64);

impl Lcg {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0
    }

    /// A number in `low..high`.
    pub fn float(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64))
    }

    /// Numbers in `low..high`.
    pub fn floats(&mut self, len: usize, low: f64, high: f64) -> Vec<f64> {
        (0..len).map(|_| self.float(low, high)).collect()
    }

    /// A whole number below `bound`.
    pub fn index(&mut self, bound: usize) -> u32 {
        ((self.next() >> 33) % bound as u64) as u32
    }

    /// Whole numbers below `bound`.
    pub fn indices(&mut self, len: usize, bound: usize) -> Vec<u32> {
        (0..len).map(|_| self.index(bound)).collect()
    }

    /// The starts of `rows` rows of 8 to 24 entries, and where the last one ends.
    pub fn row_starts(&mut self, rows: usize) -> Vec<u32> {
        let mut starts = vec![0];
        for i in 0..rows {
            starts.push(starts[i] + 8 + self.index(17));
        }
        starts
    }
}

#[cfg(test)]
mod tests {
    use super::Lcg;

    #[test]
    fn draws_known_numbers() {
        let mut random = Lcg(1);
        assert_eq!((random.next(), random.next()), (7806831264735756412, 9396908728118811419));
        assert_eq!(Lcg(1).floats(2, 0.0, 1.0), [0.42320917087271326, 0.5094074428837206]);
        assert_eq!(Lcg(1).indices(5, 17), [1, 1, 5, 8, 0]);
    }
}
