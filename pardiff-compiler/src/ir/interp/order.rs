//! Prefix sums, and numbers in order.

use super::Number;
use super::array::Value;
use super::fault::{Fault, FaultKind};
use super::machine::Machine;
use crate::ir::{BufferId, Expr, Place, Sort};

impl<N: Number> Machine<'_, N> {
    pub(super) fn scan(&mut self, len: &Expr, writes: &[BufferId]) -> Result<(), Fault> {
        let &[array] = writes else {
            return Err(Fault::unsupported("a prefix sum of other than one array"));
        };
        let mut sum = 0i128;
        let len = self.index(len)?;
        for (at, own) in self.integers(array, len)?.into_iter().enumerate() {
            self.put(array, at, sum)?;
            sum = (sum + own).min(u64::MAX.into());
        }
        Ok(())
    }

    pub(super) fn sort(&mut self, sort: &Sort, writes: &[BufferId]) -> Result<(), Fault> {
        let &[keys, order] = writes else {
            return Err(Fault::unsupported("a sort of other than keys and their order"));
        };
        let greatest = self.int(&sort.greatest)?;
        let len = self.index(&sort.len)?;
        let values = self.integers(keys, len)?;
        if values.iter().any(|&key| key > greatest) {
            return Err(Fault::new(FaultKind::Domain, "a key is greater than the sort knows"));
        }
        let mut sorted: Vec<usize> = (0..values.len()).collect();
        sorted.sort_by_key(|&at| values[at]);
        for (at, from) in sorted.into_iter().enumerate() {
            self.put(keys, at, values[from])?;
            self.put(order, at, from as i128)?;
        }
        Ok(())
    }

    /// The first elements of an array.
    fn integers(&mut self, array: BufferId, len: usize) -> Result<Vec<i128>, Fault> {
        if self.races.is_some() {
            self.touch_all(array)?;
        }
        let value = |at| {
            self.burn()?;
            match self.read(array, at)? {
                Value::Int(value) => Ok(value),
                _ => Err(Fault::unsupported("only integers are put in order")),
            }
        };
        (0..len).map(value).collect()
    }

    fn put(&mut self, array: BufferId, at: usize, value: i128) -> Result<(), Fault> {
        self.write(&Place::new(array, vec![Expr::usize(at)]), at, Value::Int(value))
    }
}
