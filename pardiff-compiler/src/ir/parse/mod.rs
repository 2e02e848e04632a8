//! Reads the text form back.
//!
//! *Comes in*: text as the printer writes it, or as a person writes it in a test: any margin, `//` comments. *Goes
//! out*: a program, or the first error with its line and column. *Guarantees*: a printed program is read back
//! equal to what was printed, up to spans and the numbering of buffers, iterators and user paths, which follows
//! the order of declaration in the text. *Never*: accepts a name that is not declared, or checks the invariants
//! that the verifier checks.

mod expr;
mod lexer;
mod program;
mod stmt;
#[cfg(test)]
mod tests;

use super::Program;
use std::fmt;

/// Where and why text is not a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl ParseError {
    fn new(line: usize, column: usize, message: impl Into<String>) -> ParseError {
        ParseError { line, column, message: message.into() }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads a program in text form.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    program::parse(text)
}
