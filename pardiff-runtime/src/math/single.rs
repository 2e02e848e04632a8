//! The functions of singles, computed in double.

pub(crate) use super::double::{
    cos, exp, exp_m1, exp2, ln, ln_1p, log2, log10, pow, sin, sin_cos, tan, tanh,
};
