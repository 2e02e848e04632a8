//! Constants, exactly.

use super::{Code, code};
use crate::ir::{Float, Int, Ty};
use proc_macro2::{Literal, Span, TokenTree};
use std::str::FromStr;

/// A float constant; with its type's suffix where the context does not say the type.
pub(crate) fn float(float: Float, value: f64, suffix: bool) -> Code {
    let ty = literal_type(float);
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
    if let Some(constant) = named(float, value.abs()) {
        return if value.is_sign_negative() { code!(-#constant) } else { constant };
    }
    let suffix = if suffix { format!("_{ty}") } else { String::new() };
    let literal = literal(&format!("{digits}{suffix}"));
    if value.is_sign_negative() { code!(-#literal) } else { code!(#literal) }
}

/// A value that std has a name for, by that name.
fn named(float: Float, value: f64) -> Option<Code> {
    use std::f64::consts::*;
    const NAMES: [(&str, f64); 19] = [
        ("E", E),
        ("PI", PI),
        ("TAU", TAU),
        ("FRAC_PI_2", FRAC_PI_2),
        ("FRAC_PI_3", FRAC_PI_3),
        ("FRAC_PI_4", FRAC_PI_4),
        ("FRAC_PI_6", FRAC_PI_6),
        ("FRAC_PI_8", FRAC_PI_8),
        ("FRAC_1_PI", FRAC_1_PI),
        ("FRAC_2_PI", FRAC_2_PI),
        ("FRAC_2_SQRT_PI", FRAC_2_SQRT_PI),
        ("SQRT_2", SQRT_2),
        ("FRAC_1_SQRT_2", FRAC_1_SQRT_2),
        ("LN_2", LN_2),
        ("LN_10", LN_10),
        ("LOG2_E", LOG2_E),
        ("LOG10_E", LOG10_E),
        ("LOG2_10", LOG2_10),
        ("LOG10_2", LOG10_2),
    ];
    let (name, _) = NAMES.iter().find(|(_, constant)| match float {
        Float::F32 => f64::from(*constant as f32) == value,
        Float::F64 => *constant == value,
    })?;
    let (module, name) = (literal_type(float), proc_macro2::Ident::new(name, Span::mixed_site()));
    Some(code!(::core::#module::consts::#name))
}

fn literal_type(float: Float) -> Code {
    match float {
        Float::F32 => code!(f32),
        Float::F64 => code!(f64),
    }
}

/// The float of these bits.
fn bits(float: Float, value: f64) -> Code {
    let ty = literal_type(float);
    let bits = match float {
        Float::F32 => literal(&format!("{:#x}", (value as f32).to_bits())),
        Float::F64 => literal(&format!("{:#x}", value.to_bits())),
    };
    // where `std::f64` is imported, the module has no such function
    code!(<#ty>::from_bits(#bits))
}

fn nan(float: Float, value: f64) -> Code {
    match float {
        Float::F32 if (value as f32).to_bits() == f32::NAN.to_bits() => code!(f32::NAN),
        Float::F64 if value.to_bits() == f64::NAN.to_bits() => code!(f64::NAN),
        _ => bits(float, value),
    }
}

/// Numbers that most programs are full of, as words.
const SMALL: [&str; 9] = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];
const SMALL_SIZES: [&str; 9] =
    ["0_usize", "1_usize", "2_usize", "3_usize", "4_usize", "5_usize", "6_usize", "7_usize", "8_usize"];

/// An integer constant.
pub(crate) fn int(int: Int, value: i128, suffix: bool) -> Code {
    let small = match (int, suffix) {
        (_, false) => Some(&SMALL),
        (Int::Usize, true) => Some(&SMALL_SIZES),
        _ => None,
    };
    if let Some(words) = small
        && (0..words.len() as i128).contains(&value)
    {
        return Code::word(words[value as usize]);
    }
    let suffix = if suffix { format!("_{}", int.name()) } else { String::new() };
    let literal = literal(&format!("{}{suffix}", value.unsigned_abs()));
    if value < 0 { code!(-#literal) } else { code!(#literal) }
}

/// A `usize` without a suffix.
pub(crate) fn usize(value: usize) -> Code {
    int(Int::Usize, value as i128, false)
}

/// A string.
pub(crate) fn string(text: &str) -> Code {
    let mut literal = Literal::string(text);
    literal.set_span(Span::mixed_site());
    code!(#literal)
}

/// The type.
pub(crate) fn ty(ty: Ty) -> Code {
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
        assert_eq!(float(Float::F64, odd, true).to_string(), "< f64 > :: from_bits (0xfff8000000000001)");
    }

    #[test]
    fn constants_of_std_have_their_names() {
        use std::f64::consts::{LN_10, PI};
        assert_eq!(float(Float::F64, PI, true).to_string(), ":: core :: f64 :: consts :: PI");
        assert_eq!(float(Float::F64, -LN_10, true).to_string(), "- :: core :: f64 :: consts :: LN_10");
        let single = std::f32::consts::PI as f64;
        assert_eq!(float(Float::F32, single, true).to_string(), ":: core :: f32 :: consts :: PI");
        assert_eq!(float(Float::F64, 0.5, true).to_string(), "0.5_f64");
        assert_eq!(float(Float::F64, 3.1, true).to_string(), "3.1_f64");
    }

    #[test]
    fn integers_of_every_size() {
        assert_eq!(int(Int::I8, -128, true).to_string(), "- 128_i8");
        assert_eq!(int(Int::I128, i128::MIN, false).to_string(), "- 170141183460469231731687303715884105728");
        assert_eq!(usize(7).to_string(), "7");
    }
}
