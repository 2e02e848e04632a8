//! Constants, exactly.

use super::code;
use crate::ir::{Float, Int, Ty};
use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use std::str::FromStr;

/// A float constant; with its type's suffix where the context does not say the type.
pub(super) fn float(float: Float, value: f64, suffix: bool) -> TokenStream {
    let ty = match float {
        Float::F32 => code!(f32),
        Float::F64 => code!(f64),
    };
    if value.is_nan() {
        return nan(float, value);
    }
    if value.is_infinite() {
        return if value > 0.0 { code!(#ty::INFINITY) } else { code!(#ty::NEG_INFINITY) };
    }
    let digits = match float {
        Float::F32 => format!("{:?}", value.abs() as f32),
        Float::F64 => format!("{:?}", value.abs()),
    };
    let suffix = if suffix { format!("_{ty}") } else { String::new() };
    let literal = literal(&format!("{digits}{suffix}"));
    if value.is_sign_negative() { code!(-#literal) } else { code!(#literal) }
}

fn nan(float: Float, value: f64) -> TokenStream {
    match float {
        Float::F32 if (value as f32).to_bits() == f32::NAN.to_bits() => code!(f32::NAN),
        Float::F64 if value.to_bits() == f64::NAN.to_bits() => code!(f64::NAN),
        Float::F32 => {
            let bits = literal(&format!("{:#x}", (value as f32).to_bits()));
            code!(f32::from_bits(#bits))
        }
        Float::F64 => {
            let bits = literal(&format!("{:#x}", value.to_bits()));
            code!(f64::from_bits(#bits))
        }
    }
}

/// An integer constant.
pub(super) fn int(int: Int, value: i128, suffix: bool) -> TokenStream {
    let suffix = if suffix { format!("_{}", int.name()) } else { String::new() };
    let literal = literal(&format!("{}{suffix}", value.unsigned_abs()));
    if value < 0 { code!(-#literal) } else { code!(#literal) }
}

/// A `usize` without a suffix.
pub(super) fn usize(value: usize) -> TokenStream {
    int(Int::Usize, value as i128, false)
}

/// A string.
pub(super) fn string(text: &str) -> TokenStream {
    let mut literal = Literal::string(text);
    literal.set_span(Span::mixed_site());
    code!(#literal)
}

/// The type.
pub(super) fn ty(ty: Ty) -> TokenStream {
    let name = proc_macro2::Ident::new(&ty.to_string(), Span::mixed_site());
    code!(#name)
}

/// The literal that `digits` spells.
fn literal(digits: &str) -> TokenTree {
    let mut literal = Literal::from_str(digits).unwrap_or_else(|_| Literal::usize_unsuffixed(0));
    literal.set_span(Span::mixed_site());
    TokenTree::Literal(literal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_read_back_with_the_same_bits() {
        for value in [0.0, 1.5, 1e300, 5e-324, f64::MAX, 0.1, 1e16, 123456789.0] {
            let text = float(Float::F64, value, false).to_string();
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()), "{text}");
            let single = value as f32 as f64;
            if single.is_finite() {
                let text = float(Float::F32, single, false).to_string();
                assert_eq!(text.parse::<f32>(), Ok(single as f32), "{text}");
            }
        }
        assert_eq!(float(Float::F64, -0.0, true).to_string(), "- 0.0_f64");
        assert_eq!(float(Float::F32, -2.5, true).to_string(), "- 2.5_f32");
        assert_eq!(float(Float::F32, f64::INFINITY, true).to_string(), "f32 :: INFINITY");
        assert_eq!(float(Float::F64, f64::NEG_INFINITY, true).to_string(), "f64 :: NEG_INFINITY");
        assert_eq!(float(Float::F64, f64::NAN, true).to_string(), "f64 :: NAN");
        let odd = f64::from_bits(0xfff8_0000_0000_0001);
        assert_eq!(float(Float::F64, odd, true).to_string(), "f64 :: from_bits (0xfff8000000000001)");
    }

    #[test]
    fn integers_of_every_size() {
        assert_eq!(int(Int::I8, -128, true).to_string(), "- 128_i8");
        assert_eq!(int(Int::I128, i128::MIN, false).to_string(), "- 170141183460469231731687303715884105728");
        assert_eq!(usize(7).to_string(), "7");
    }
}
