//! The joints of a robot's arm.

mod kinematics;
mod parts;


pub use parts::Joint;
pub use kinematics::{joint, rodrigues};
