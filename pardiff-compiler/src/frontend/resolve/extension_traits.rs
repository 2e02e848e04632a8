//! Methods that traits of the module give numbers, and vectors of them:
//! `impl Smooth for f64 { fn softplus(self) -> f64 { … } }`,
//! `impl Statistics for Vec<f64> { fn mean(&self) -> f64 { … } }`.

use super::super::infer::Type;
use super::super::is_word;
use super::super::records::Operator;
use super::super::tree::{Expr, Len};
use super::Resolver;
use super::associated::method_segment;
use super::helper::Given;
use super::implementations::Called;
use crate::ir::Ty;
use crate::signature::vector_element;
use syn::spanned::Spanned;

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

/// The constants of floats and integers.
const INHERENT_CONSTANTS: &str = "BITS DIGITS EPSILON INFINITY MANTISSA_DIGITS MAX MAX_10_EXP MAX_EXP MIN MIN_10_EXP MIN_EXP \
    MIN_POSITIVE NAN NEG_INFINITY RADIX";

/// The methods of vectors, slices and arrays.
const OF_ARRAYS: &str = "align_to align_to_mut append array_chunks array_windows as_chunks as_chunks_mut as_mut as_mut_ptr \
    as_mut_slice as_ptr as_ptr_range as_ref as_slice binary_search binary_search_by binary_search_by_key borrow borrow_mut \
    capacity chunk_by chunk_by_mut chunks chunks_exact chunks_exact_mut chunks_mut clear clone clone_from clone_from_slice cmp \
    concat contains copy_from_slice copy_within dedup dedup_by dedup_by_key drain each_mut each_ref ends_with eq escape_ascii \
    extend extend_from_slice extend_from_within extract_if fill fill_with first first_chunk first_mut ge get get_mut \
    get_unchecked get_unchecked_mut gt index index_mut insert into into_boxed_slice into_iter into_vec is_empty is_sorted \
    is_sorted_by is_sorted_by_key iter iter_mut join last last_chunk last_mut le leak len lt ne par_iter par_iter_mut partial_cmp \
    partition_point pop pop_if push rchunks rchunks_exact rchunks_exact_mut rchunks_mut remove repeat reserve reserve_exact \
    resize resize_with retain retain_mut reverse rotate_left rotate_right rsplit rsplit_mut rsplitn select_nth_unstable \
    select_nth_unstable_by select_nth_unstable_by_key set_len shrink_to shrink_to_fit sort sort_by sort_by_cached_key \
    sort_by_key sort_floats sort_unstable sort_unstable_by sort_unstable_by_key spare_capacity_mut splice split split_at \
    split_at_checked split_at_mut split_first split_first_mut split_inclusive split_last split_last_mut split_mut split_off \
    splitn starts_with strip_prefix strip_suffix swap swap_remove swap_with_slice to_owned to_vec truncate try_into windows";

impl Resolver<'_> {
    /// A method that a trait of the module has for vectors, slices, arrays or tuples, and these do not have themselves.
    pub(super) fn array_of_trait(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let module = self.module;
        let is_inherent = is_word(OF_ARRAYS, name);
        module.records().of_arrays(name).next().filter(|_| !is_inherent)?;
        if super::iterator::is_chain(&e.receiver) {
            return None;
        }
        let refusals = self.refusals.0.len();
        let receiver = self.receiver(e);
        let ty = self.infer.peel(&receiver.ty);
        let may_have_it = match &ty {
            // arrays of `ndarray` have methods of their own
            Type::Array(_, len) => !matches!(len, Len::Axis) && (name != "map" || len.known().is_none()),
            ty => matches!(ty, Type::Tuple(_)),
        };
        if !may_have_it {
            self.not_the_receiver(e, receiver, refusals);
            return None;
        }
        let span = e.method.span();
        let of: Vec<&Operator> =
            module.records().of_arrays(name).filter(|of| self.may_be(&ty, &of.left, of)).collect();
        match of[..] {
            [] => {
                let shown = self.infer.show(&receiver.ty);
                Some(self.unknown_method_of_trait(name, &shown, span))
            }
            [of] => {
                let item = of.function.clone();
                let receiver = self.as_receiver(&item, receiver);
                Some(self.inline_with(&item, 1, Given::default(), vec![receiver], e.args.iter(), e.span()))
            }
            _ => Some(self.refuse(
                span,
                format!("`{name}`, which several `impl`s for vectors, slices and arrays have"),
                "vectors and slices are one type here",
                "let one of them call the other by a function of another name",
            )),
        }
    }

    /// Whether a type may be the one that an `impl` is for.
    fn may_be(&mut self, ty: &Type, own: &syn::Type, of: &Operator) -> bool {
        let mut params = of.function.sig.generics.type_params();
        if let syn::Type::Path(path) = own
            && params.any(|param| path.path.is_ident(&param.ident))
        {
            return true;
        }
        match (self.infer.peel(ty), own) {
            (_, syn::Type::Reference(own)) => self.may_be(ty, &own.elem, of),
            (Type::Array(elem, _), syn::Type::Slice(own)) => self.may_be(&elem, &own.elem, of),
            (Type::Array(elem, _), syn::Type::Array(own)) => self.may_be(&elem, &own.elem, of),
            (Type::Array(elem, _), own) => vector_element(own).is_some_and(|own| self.may_be(&elem, own, of)),
            (Type::Tuple(parts), syn::Type::Tuple(own)) => {
                parts.len() == own.elems.len()
                    && parts.iter().zip(&own.elems).all(|(part, own)| self.may_be(part, own, of))
            }
            (Type::Tuple(_), _) => false,
            (ty, own) => self.fit(&of.function.sig.generics, &[(&ty, own)]).is_some(),
        }
    }

    /// A method of a number that a trait of the module has for its type, and the number itself does not.
    pub(super) fn of_extension_trait(
        &mut self,
        e: &syn::ExprMethodCall,
        receiver: &Expr,
        name: &str,
    ) -> Option<Expr> {
        let ty = self.infer.peel(&receiver.ty);
        if is_inherent(name) || !matches!(ty, Type::Scalar(_)) || !self.module.records().is_of_trait(name) {
            return None;
        }
        let shown = self.infer.show(&ty);
        let all = self.module.records().functions(&shown, name).to_vec();
        if all.is_empty() {
            return None;
        }
        let (segment, span) = (method_segment(e), e.method.span());
        let (args, receiver) = (e.args.iter().collect(), Some(receiver.clone()));
        Some(self.call_one_of(all, Called { of: &shown, segment: &segment, own: None, receiver, args, span }))
    }

    /// Whether `of::name` is what a trait of the module gives the numbers of type `of`.
    pub(super) fn is_given_by_trait(&self, of: &str, name: &str) -> bool {
        let records = self.module.records();
        let is_seen = || records.function(of, name).is_some() || !records.constants(of, name).is_empty();
        Ty::from_name(of).is_some() && !is_inherent(name) && is_seen()
    }
}

/// Whether numbers have a method or constant by themselves.
fn is_inherent(name: &str) -> bool {
    let has_prefix = || INHERENT_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    is_word(INHERENT, name) || is_word(INHERENT_CONSTANTS, name) || has_prefix()
}
