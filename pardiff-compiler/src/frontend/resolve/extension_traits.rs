//! Methods that traits of the module give numbers: `impl Smooth for f64 { fn softplus(self) -> f64 { … } }`.

use super::super::infer::Type;
use super::super::tree::Expr;
use super::Resolver;
use super::helper::Given;

/// The methods that floats and integers have by themselves, or by traits that are always in scope: they come first.
const INHERENT: &str = "abs abs_diff abs_sub acos acosh add as_mut as_ref asin asinh atan atan2 atanh bits borrow borrow_mut \
    cast_signed cast_unsigned cbrt ceil clamp classify clone clone_from cmp copysign cos cosh count_ones count_zeros div \
    div_ceil div_euclid div_floor eq erf erfc exp exp2 exp_m1 floor fract gamma ge gt hypot ilog ilog10 ilog2 into is_finite \
    is_infinite is_multiple_of is_nan is_negative is_normal is_positive is_power_of_two is_sign_negative is_sign_positive \
    is_subnormal isqrt le leading_ones leading_zeros ln ln_1p ln_gamma log log10 log2 lt max maximum midpoint min minimum mul \
    mul_add ne neg next_down next_multiple_of next_power_of_two next_up partial_cmp pow powf powi recip rem rem_euclid \
    reverse_bits rotate_left rotate_right round round_ties_even shl shr signum sin sin_cos sinh sqrt sub swap_bytes tan tanh \
    to_be to_be_bytes to_bits to_degrees to_int_unchecked to_le to_le_bytes to_ne_bytes to_owned to_radians to_string \
    total_cmp trailing_ones trailing_zeros trunc try_into unsigned_abs";

/// What the names of other such methods begin with.
const INHERENT_PREFIXES: [&str; 9] = [
    "borrowing_",
    "carrying_",
    "checked_",
    "overflowing_",
    "saturating_",
    "strict_",
    "unbounded_",
    "widening_",
    "wrapping_",
];

impl Resolver<'_> {
    /// A method of a number that a trait of the module has for its type, and the number itself does not.
    pub(super) fn of_extension_trait(
        &mut self,
        e: &syn::ExprMethodCall,
        receiver: &Expr,
        name: &str,
    ) -> Option<Expr> {
        let is_inherent = super::super::is_word(INHERENT, name)
            || INHERENT_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        let ty = self.infer.peel(&receiver.ty);
        if is_inherent || !matches!(ty, Type::Scalar(_)) || !self.module.records().is_of_trait(name) {
            return None;
        }
        let shown = self.infer.show(&ty);
        let item = self.module.records().function(&shown, name)?;
        if let Some(refused) = self.refuse_several(&shown, name, e.method.span()) {
            return Some(refused);
        }
        let receiver = self.as_receiver(&item, receiver.clone());
        Some(self.inline_with(&item, 1, Given::default(), vec![receiver], e.args.iter(), e.method.span()))
    }
}
