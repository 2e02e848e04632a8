//! The integration tests of the compiler, one binary: each module is a topic.

mod apart;
mod batches;
mod colours;
mod derivatives;
mod distinct;
mod executed;
mod frontend;
mod functions;
mod grids;
mod inverses;
mod modules;
mod mutations;
mod oracle;
mod passes;
mod plans;
mod property;
mod racing;
mod random;
mod reference;
mod rings;
mod rows;
mod scheduled;
mod schemes;
mod shifts;
mod stages;
mod windows;
