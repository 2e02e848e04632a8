//! The joints of a robot's arm.

mod kinematics;
mod parts;

pub use kinematics::{joint, rodrigues};
pub use parts::Joint;
