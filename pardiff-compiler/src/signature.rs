//! The user's function as its caller sees it: what the front end reads and the contract of the generated module is
//! built from.

use crate::ir::BufferId;
use syn::{Attribute, Generics, Ident, Item, Path, Type, Visibility};

/// The interface of the function and what the attribute asked for.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Visibility of the function, and so of its module.
    pub vis: Visibility,
    /// The function's name.
    pub name: Ident,
    /// The module's name: the function's, unless `module = …` says otherwise.
    pub module: Ident,
    /// How generated code names pardiff: `::pardiff`, unless `crate = …` says otherwise.
    pub krate: Path,
    /// Generics as written: lifetimes and const parameters.
    pub generics: Generics,
    /// `cfg`, `cfg_attr` and `deprecated`, copied to every generated item.
    pub attrs: Vec<Attribute>,
    /// In order.
    pub params: Vec<Param>,
    /// What it returns.
    pub result: ResultShape,
    /// Constants declared in the body; generated bodies declare them as well.
    pub consts: Vec<Item>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name (`_` patterns get one).
    pub name: Ident,
    /// Its type as written.
    pub ty: Type,
    /// What kind of host value it is.
    pub kind: ParamKind,
    /// Its buffer in the primal program.
    pub buffer: BufferId,
    /// Whether it has an adjoint argument.
    pub active: bool,
}

/// The host value behind a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// `s: T`
    Scalar,
    /// `s: &T` or `s: &mut T`
    ScalarRef {
        /// `&mut`
        mutable: bool,
    },
    /// `&[T]`, `&[[T; M]]` or `&mut` of these: the outermost extent is the caller's.
    Slice {
        /// `&mut`
        mutable: bool,
    },
    /// `&[T; N]`, `&[[T; M]; N]` or `&mut` of these.
    ArrayRef {
        /// `&mut`
        mutable: bool,
    },
    /// `[T; N]` by value.
    Array,
}

/// The shape of what the function returns; leaves are the program's `results`, in order.
#[allow(clippy::large_enum_variant, reason = "a function has a handful of them")]
#[derive(Clone, Debug)]
pub enum ResultShape {
    /// Nothing.
    Unit,
    /// A scalar or an array, of the type as written.
    Leaf(BufferId, Type),
    /// A tuple of leaves.
    Tuple(Vec<(BufferId, Type)>),
}
