//! Real kernels, as a numerical programmer writes them.
//!
//! Each module at the top holds one kernel with `#[differentiate]`: what it computes, its shapes, where it is from. They are
//! written for readers, not for the macro. [`cases`] joins them with their data, [`data`] reads and generates these,
//! [`by_hand`] has gradients to compare with. Examples, tests and benchmarks of the project share this crate.
//!
//! Without the feature `suite` there are only the kernels that the examples run, which compile in a fraction of the time.
//!
//! Nothing here needs files: published data are read from the directory that `PARDIFF_DATA` names, and made up in the same
//! sizes where there is none.
#![allow(clippy::needless_range_loop, clippy::too_many_arguments)]

pub mod acoustic_wave;
pub mod asian_option;
pub mod attn;
pub mod ba;
#[cfg(feature = "suite")]
pub mod batched_solve;
pub mod cross_section;
pub mod csr_regression;
pub mod gat;
pub mod gmm;
pub mod hand;
pub mod heat2d;
pub mod kalman;
pub mod lattice_boltzmann;
#[cfg(feature = "suite")]
pub mod lennard_jones;
pub mod lennard_jones_dynamics;
#[cfg(feature = "suite")]
pub mod logistic_regression;
pub mod lstm;
#[cfg(feature = "suite")]
pub mod matvec;
#[cfg(feature = "suite")]
pub mod matvec_tanh;
pub mod mesh_convolution;
pub mod minibude;
pub mod multipole;
#[cfg(feature = "suite")]
pub mod option_book;
#[cfg(feature = "suite")]
pub mod polynomial_features;
#[cfg(feature = "suite")]
pub mod projection;
#[cfg(feature = "suite")]
pub mod projection_scalars;
#[cfg(feature = "suite")]
pub mod row_softmax;
pub mod soft_dtw;
#[cfg(feature = "suite")]
pub mod soft_k_means;
pub mod soft_rasteriser;
#[cfg(feature = "suite")]
pub mod softmax_regression;
#[cfg(feature = "suite")]
pub mod spmv;

#[cfg(feature = "suite")]
pub mod by_hand;
#[cfg(feature = "suite")]
pub mod cases;
pub mod data;
