//! The Sedov blast of LULESH: shock hydrodynamics on a mesh of hexahedra that moves with the gas.
//!
//! Written from the published description (LLNL-TR-490254 and LLNL-TR-641973), with the formulas and the constants
//! of LULESH 2.0, so that energies agree with it; its notice is in `NOTICE`. The structure is another: the state is
//! one struct of vectors, geometry is written with vectors of three numbers, and each element is computed as a
//! whole. The regions of LULESH, which order work and repeat it, are left out: they change no number.
//!
//! The physics of an element and of a node stands in one file, and a version of the cycle for each way to write a
//! parallel program goes over the mesh with it.

#![allow(
    clippy::manual_clamp,
    clippy::needless_range_loop,
    reason = "a clamp panics where its limits are wrong, and loops are those of numerical programmers"
)]

pub mod closures;
pub mod domain;
pub mod geometry;
pub mod loops;
pub mod parallel;
pub mod physics;
pub mod ranks;
pub mod setup;
pub mod tasks;
pub mod threads;

pub use domain::Domain;
