//! Gradients for GPUs, tested without one.

mod nvrtc;
mod watch;
