//! Reads the text form back.
