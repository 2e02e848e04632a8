//! Parameters that borrow: a struct or a tuple with references in it, or an option of one.

use proc_macro2::{Ident, TokenStream};
use syn::Type;

/// A parameter of the function in whose place the signature has its parts, each a parameter.
#[derive(Clone)]
pub struct Borrowed {
    /// Its name.
    pub name: Ident,
    /// Its type in public functions.
    pub ty: Type,
    /// The structs that its type names.
    pub records: Vec<Ident>,
    /// Its parts, in the order of their parameters.
    pub parts: Vec<BorrowedPart>,
    /// The value that the function takes, made of parameters of the names of the parts.
    pub value: TokenStream,
}

/// A part of such a parameter.
#[derive(Clone)]
pub struct BorrowedPart {
    /// The name of its parameter.
    pub name: Ident,
    /// The type of its parameter.
    pub ty: Type,
    /// How it is read from the parameter that it is a part of.
    pub read: TokenStream,
    /// Whether floats are in it.
    pub has_floats: bool,
}
