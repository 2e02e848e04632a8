//! The lengths of arrays in fields of structs with const parameters.
//!
//! ```text
//! fn f(layer: &Layer<2>) { … Layer { weights: [a, b, c] } … }         // a `Layer<3>`, whose type nobody writes
//! ```
//!
//! In one function such a struct has one set of arguments. rustc infers another one where a value says so, which
//! shows in the lengths of its arrays.

use super::super::infer::Type;
use super::super::tree::{Kind, Len};
use super::Resolver;
use proc_macro2::Span;

/// A length as far as it can be compared.
#[derive(PartialEq)]
enum Length {
    Number(i128),
    /// A const parameter of the function.
    Parameter(usize),
}

impl Resolver<'_> {
    /// Refuses a value for a field whose arrays have other lengths.
    pub(super) fn same_lengths(&mut self, field: &Type, value: &Type, span: Span) {
        match (self.infer.peel(field), self.infer.peel(value)) {
            (Type::Array(field, len), Type::Array(value, other)) => {
                if let (Some(a), Some(b)) = (self.comparable(&len), self.comparable(&other))
                    && a != b
                {
                    self.refuse(
                        span,
                        "a value of a struct with other lengths than elsewhere in this function",
                        "a struct with parameters has one set of arguments in a function that is differentiated",
                        "write a struct for each",
                    );
                    return;
                }
                self.same_lengths(&field, &value, span);
            }
            (Type::Tuple(fields), Type::Tuple(values)) => {
                fields.iter().zip(&values).for_each(|(field, value)| self.same_lengths(field, value, span));
            }
            _ => {}
        }
    }

    fn comparable(&self, len: &Len) -> Option<Length> {
        let len = len.known()?;
        match &len.kind {
            Kind::Int(value) => Some(Length::Number(*value)),
            Kind::Local(local) => {
                let known = self.const_values.get(local)?;
                self.comparable(&Len::Known(known.clone()))
            }
            Kind::Path(id) if self.const_parameters.contains(id) => Some(Length::Parameter(*id)),
            _ => None,
        }
    }
}
