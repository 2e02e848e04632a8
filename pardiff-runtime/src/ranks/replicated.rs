//! What a function says of its result, `result = "replicated"`, compared on all ranks.

use super::engine::Engine;
use super::message::{Message, data, data_mut};

/// A result that is one float, or begins with it.
pub trait Replicated {
    /// The float.
    fn float(&self) -> f64;
    /// How far two of one number may lie apart, as a part of it: half of its digits. Ranks may round differently.
    const APART: f64;
}

impl Replicated for f64 {
    fn float(&self) -> f64 {
        *self
    }

    const APART: f64 = 1.0 / (1_u32 << 26) as f64;
}

impl Replicated for f32 {
    fn float(&self) -> f64 {
        f64::from(*self)
    }

    const APART: f64 = 1.0 / (1_u32 << 12) as f64;
}

/// With its tangents.
impl<T: Replicated, Tangents> Replicated for (T, Tangents) {
    fn float(&self) -> f64 {
        self.0.float()
    }

    const APART: f64 = T::APART;
}

/// A result that all ranks return alike. Its seed is one on the first rank alone, so the derivative of a share of a
/// sum would lack the shares of the others. With debug assertions ranks compare it, by one message more.
///
/// # Panics
///
/// On all ranks, with debug assertions, where a rank returns another number than the first.
pub fn replicated<Over, T: Replicated>(
    communicator: &(impl Engine<Over> + ?Sized),
    result: T,
    function: &str,
) -> T {
    let size = usize::try_from(communicator.ranks()).unwrap_or_default();
    if cfg!(debug_assertions) && size > 1 {
        let mut all = vec![0.0; size];
        let at = format!("{function}: the comparison of its result");
        communicator.carry_out(Message::AllGather, data(&[result.float()]), data_mut(&mut all), &at);
        let first = all[0];
        if let Some(rank) = all.iter().position(|other| !alike(first, *other, T::APART)) {
            panic!(
                "{function}: the attribute says `result = \"replicated\"`, and ranks return different numbers: rank 0 \
                 {first:?}, rank {rank} {:?}. Where the result is the sum of what ranks return, it is `\"partial\"`",
                all[rank]
            )
        }
    }
    result
}

fn alike(one: f64, other: f64, apart: f64) -> bool {
    let same = one == other || one.is_nan() && other.is_nan();
    same || (one - other).abs() <= apart * one.abs().max(other.abs())
}

#[cfg(test)]
mod tests {
    use super::super::engine::Engine;
    use super::super::run;
    use super::replicated;

    #[test]
    fn a_result_that_all_have_is_returned() {
        let numbers = [1.5, f64::NAN, f64::INFINITY, 0.0];
        for number in numbers {
            let all = run(3, |world| replicated(world, number, "f"));
            assert!(all.iter().all(|it| it.to_bits() == number.to_bits()));
        }
        let rounded = run(2, |world| replicated(world, 1.0 + f64::from(world.own_rank()) * 1e-12, "f"));
        assert_eq!(rounded, [1.0, 1.0 + 1e-12]);
        assert_eq!(run(2, |world| replicated(world, (2.0_f32, [0.0; 3]), "f")).len(), 2);
    }

    #[test]
    #[cfg(debug_assertions)]
    fn a_share_is_a_panic_with_two_of_the_numbers() {
        let panic =
            std::panic::catch_unwind(|| run(3, |world| replicated(world, f64::from(world.own_rank()), "f")));
        let panic = panic.expect_err("they differ");
        let text = panic.downcast_ref::<String>().expect("a text");
        assert!(text.contains("rank 0 0.0, rank 1 1.0"), "{text}");
        assert!(
            std::panic::catch_unwind(|| {
                run(2, |world| replicated(world, if world.own_rank() == 0 { f64::NAN } else { 1.0 }, "f"))
            })
            .is_err()
        );
    }
}
