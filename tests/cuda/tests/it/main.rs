//! Gradients for GPUs, tested without one.

mod gradients;
mod nvrtc;
mod watch;
mod workloads;
