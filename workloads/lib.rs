//! Real kernels, as a numerical programmer writes them.
//!
//! Each module at the top holds one kernel with `#[differentiate]`: what it computes, its shapes, where it is from. They are
//! written for readers, not for the macro. [`cases`] joins them with their data, [`data`] reads and generates these,
//! [`by_hand`] has gradients to compare with. Tests and benchmarks of the project share this crate; an example includes the file
//! of its kernel, so that it compiles no other one.
//!
//! Nothing here needs files: published data are read from the directory that `PARDIFF_DATA` names, and made up in the same
//! sizes where there is none.
#![allow(clippy::needless_range_loop, clippy::too_many_arguments)]

#[cfg(not(feature = "modes"))]
#[path = "."]
mod kernels {
    pub mod acoustic_wave;
    pub mod asian_option;
    pub mod attn;
    pub mod ba;
    pub mod batched_solve;
    pub mod cross_section;
    pub mod csr_regression;
    pub mod dg_volume;
    pub mod gat;
    pub mod gmm;
    pub mod hand;
    pub mod heat2d;
    pub mod kalman;
    pub mod lattice_boltzmann;
    pub mod lennard_jones;
    pub mod lennard_jones_dynamics;
    pub mod logistic_regression;
    pub mod lstm;
    pub mod matvec;
    pub mod matvec_tanh;
    pub mod mesh_convolution;
    pub mod minibude;
    pub mod multipole;
    pub mod option_book;
    pub mod polynomial_features;
    pub mod projection;
    pub mod projection_scalars;
    pub mod row_softmax;
    pub mod soft_dtw;
    pub mod soft_k_means;
    pub mod soft_rasteriser;
    pub mod softmax_regression;
    pub mod spmv;
}
/// With the feature `modes` the attribute of each kernel asks for all of them, see `modes/build.rs`.
#[cfg(feature = "modes")]
mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}
pub use kernels::*;

pub mod by_hand;
pub mod cases;
pub mod data;
