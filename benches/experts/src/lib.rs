//! Primals and gradients of nine workloads, written by hand.
//!
//! These programs are the yardstick of the project's own gradients: of each workload the primal as a user writes it
//! (`naive`), the fastest primal and gradient that we know how to write for one machine (`fast`, `grad_fast`: vector
//! intrinsics, blocks of lanes, scratch memory that survives the call, fixed chunks on all threads), and a careful
//! sequential gradient (`grad_scalar`). Gradients are added to what is there.
//!
//! Built with `-C target-cpu=native` and link-time optimisation, and run as a child process of the suite (`main.rs`). Each
//! file begins with what won there.
// loops over lanes by index and the many arrays of a block are the style here; constants are printed as published
#![allow(clippy::needless_range_loop, clippy::too_many_arguments, clippy::excessive_precision)]
#![allow(clippy::should_implement_trait)]

pub mod attn;
pub mod ba;
pub mod gat;
pub mod gmm;
pub mod heat2d;
pub mod lstm;
pub mod math;
pub mod matvec;
pub mod minibude;
pub mod scratch;
pub mod simd;
pub mod spmv;

/// What a workload is given besides its parameters; the order within each list is the constructor's.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    pub sizes: Vec<usize>,
    pub indices: Vec<Vec<u32>>,
    pub floats: Vec<Vec<f64>>,
}

/// A workload with its data. Parameters and gradients are flat, aligned to 64 bytes.
pub trait Work: Send + Sync {
    /// The primal as a user writes it.
    fn naive(&self, p: &[f64]) -> f64;
    /// The fastest primal.
    fn fast(&self, p: &[f64]) -> f64;
    /// The careful sequential gradient.
    fn grad_scalar(&self, p: &[f64], g: &mut [f64]) -> f64;
    /// The fastest gradient.
    fn grad_fast(&self, p: &[f64], g: &mut [f64]) -> f64;
    /// Another gradient worth measuring, if there is one.
    fn grad_other(&self, _p: &[f64], _g: &mut [f64]) -> Option<f64> {
        None
    }
}

/// The workload of this name.
pub fn load(workload: &str, constants: Constants) -> Option<Box<dyn Work>> {
    Some(match workload {
        "gmm" => Box::new(gmm::Gmm::new(constants)),
        "ba" => Box::new(ba::Ba::new(constants)),
        "heat2d" => Box::new(heat2d::Heat::new(constants)),
        "spmv" => Box::new(spmv::Spmv::new(constants)),
        "matvec" => Box::new(matvec::Matvec::<false>::new(constants)),
        "matvec_tanh" => Box::new(matvec::Matvec::<true>::new(constants)),
        "attn" => Box::new(attn::Attn::new(constants)),
        "gat" => Box::new(gat::Gat::new(constants)),
        "minibude" => Box::new(minibude::Bude::new(constants)),
        "lstm" => Box::new(lstm::Lstm::new(constants)),
        _ => return None,
    })
}
