//! Gradients for GPUs, tested without one.

mod batches;
mod blast;
mod gradients;
mod hosted;
mod lengths;
mod nests;
mod nvrtc;
mod on_gpu;
mod order;
mod resources;
mod tangents;
mod watch;
mod workloads;
