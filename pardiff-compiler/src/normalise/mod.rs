//! IR to IR, before anything is analysed: one canonical form of what can be written in several ways.
