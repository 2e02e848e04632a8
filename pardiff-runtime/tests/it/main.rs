//! The runtime at every instruction-set level that the machine has (`PARDIFF_ISA` lowers the highest one).

mod at_level;
mod math;
mod reference;
mod simd;
mod special;
