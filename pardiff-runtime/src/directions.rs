//! Unit directions for the columns of a Jacobian, and unit seeds for its rows, a batch of them at a time.

use crate::Zero;

/// A float, or an array of constant length of such.
pub trait Floats: Zero {
    /// How many floats it holds.
    const LEN: usize;

    /// Sets the float at this position, in the order of memory.
    fn set(&mut self, at: usize, value: f64);
}

macro_rules! floats {
    ($($ty:ident)*) => {
        $(impl Floats for $ty {
            const LEN: usize = 1;

            #[inline]
            fn set(&mut self, _: usize, value: f64) {
                *self = value as $ty;
            }
        })*
    };
}

floats! { f32 f64 }

impl<E: Floats, const N: usize> Floats for [E; N] {
    const LEN: usize = N * E::LEN;

    #[inline]
    fn set(&mut self, at: usize, value: f64) {
        self[at / E::LEN].set(at % E::LEN, value);
    }
}

/// The direction `first` of all inputs, as far as it belongs to this one, whose floats are numbered from `offset` on.
#[inline]
pub fn direction<E: Floats>(first: usize, offset: usize) -> E {
    let [direction] = directions(first, offset);
    direction
}

/// The directions `first..first + W` of all inputs, as far as they belong to this one, whose floats are numbered from
/// `offset` on. Its other members are zero.
#[inline]
pub fn directions<E: Floats, const W: usize>(first: usize, offset: usize) -> [E; W] {
    core::array::from_fn(|member| {
        let mut direction = E::ZERO;
        let at = (first + member).wrapping_sub(offset);
        if at < E::LEN {
            direction.set(at, 1.0);
        }
        direction
    })
}

/// The same for an array, of which each element becomes an array.
#[inline]
pub fn directions_of_array<E: Floats, const W: usize, const N: usize>(
    first: usize,
    offset: usize,
) -> [[E; W]; N] {
    let mut directions = [[E::ZERO; W]; N];
    let numbers = (first..first + W).map(|number| number.wrapping_sub(offset));
    for (member, at) in numbers.enumerate().filter(|(_, at)| *at < N * E::LEN) {
        directions[at / E::LEN][member].set(at % E::LEN, 1.0);
    }
    directions
}

/// Sets the float at this position, in the order of memory, if it has one.
#[inline]
pub fn store<E: Floats>(to: &mut E, at: usize, value: impl Into<f64>) {
    if at < E::LEN {
        to.set(at, value.into());
    }
}

/// One member of a batch of arrays.
#[inline]
pub fn member_of<E: Copy, const W: usize, const N: usize>(batch: &[[E; W]; N], member: usize) -> [E; N] {
    core::array::from_fn(|at| batch[at][member])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_float_has_a_direction_of_its_own() {
        // the second input, of 2 * 3 floats, behind one of two floats
        let all: Vec<[[[f64; 3]; 4]; 2]> = [0, 4].map(|first| directions_of_array(first, 2)).into();
        let column = |number: usize| {
            let own: [[f64; 3]; 2] = member_of(&all[number / 4], number % 4);
            own.iter().flatten().copied().collect::<Vec<_>>()
        };
        for number in 0..8 {
            let expected: Vec<f64> = (0..6).map(|at| f64::from(u8::from(at + 2 == number))).collect();
            assert_eq!(column(number), expected);
        }
        assert_eq!(directions::<f32, 3>(4, 5), [0.0, 1.0, 0.0]);
        assert_eq!(<[[f32; 3]; 5]>::LEN, 15);
    }
}
