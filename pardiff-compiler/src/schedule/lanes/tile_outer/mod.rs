//! Tiles of the outer loop: a batch of its iterations is executed together.

pub(super) mod row_sweeps;
mod scalar_lanes;
mod strip_mine;
