//! The user's function as its caller sees it: what the front end reads and the contract of the generated module is
//! built from.

mod borrowed;
mod records;

pub use borrowed::{Borrowed, BorrowedPart};
pub use records::{Content, Field, OfCrate, Part, Record, Variant, member_name};

use crate::ir::{BufferId, Ty};
use crate::ndarray::Form;
use proc_macro2::{Span, TokenStream};
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::{Attribute, GenericArgument, Generics, Ident, Item, Member, Path, PathArguments, Type, Visibility};

/// The interface of the function and what the attribute asked for.
#[derive(Clone)]
pub struct Signature {
    /// Visibility of the function, and so of its module.
    pub vis: Visibility,
    /// The function's name.
    pub name: Ident,
    /// The type whose method it is.
    pub owner: Option<Owner>,
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
    /// The parameters of the function that are several of these, in order.
    pub borrowed: Vec<Borrowed>,
    /// What it returns; of a function that may fail, its value.
    pub result: ResultShape,
    /// Of a function of several ranks: whose result it is.
    pub over_ranks: Option<OverRanks>,
    /// Whether it returns a reference to that, of which derivatives return a copy.
    pub lends: bool,
    /// What it returns where it has no value, if that may be.
    pub failure: Option<Failure>,
    /// Constants declared in the body; generated bodies declare them as well.
    pub consts: Vec<Item>,
    /// What stands between the brackets where the function is called by its name: const parameters, and of a
    /// generic function what its type parameters stand for.
    pub called_with: Vec<GenericArgument>,
    /// Whether it has type parameters without names, `p: impl Trait`, which only a call of it says.
    pub has_unnamed_types: bool,
    /// The functions that stand in the place of parameters, in order.
    pub functions: Vec<GivenFunction>,
    /// The bounds that were taken for traits of `num-traits`, and the types that were for those of `mpi`, and where they
    /// are written.
    pub bounds: Vec<(Path, Span)>,
    /// What bodies take and return, where that is something else: vectors that this function returns are written
    /// through references, which are their last parameters, and enums and options are products.
    pub written: Option<Box<Signature>>,
}

impl Signature {
    /// Whether vectors are returned, alone, in a tuple or in structs.
    pub fn returns_vectors(&self) -> bool {
        self.result.members().iter().any(Returned::is_long)
    }

    /// What bodies take and return: the buffers of programs are its leaves.
    pub fn of_bodies(&self) -> &Signature {
        self.written.as_deref().unwrap_or(self)
    }

    /// Of a parameter that is a part of another one: that one, and which part of it.
    pub fn borrowed_of(&self, param: &Param) -> Option<(&Borrowed, usize)> {
        let find = |of: &Borrowed| of.parts.iter().position(|part| part.name == param.name);
        self.borrowed.iter().find_map(|of| Some((of, find(of)?)))
    }

    /// The function as texts call it: `loss` or `Model::loss`.
    pub fn shown(&self) -> String {
        let name = self.name.unraw();
        self.owner
            .as_ref()
            .map_or_else(|| name.to_string(), |owner| format!("{}::{name}", owner.name.unraw()))
    }
}

/// The elements of `Vec<T>`, `Box<[T]>`, `Arc<[T]>`, `Arc<Vec<T>>`, or of `Rc` of these.
pub fn vector_element(ty: &Type) -> Option<&Type> {
    let (name, held) = named_with_one(ty)?;
    match (name.to_string().as_str(), held) {
        ("Vec", elem) => Some(elem),
        ("Box" | "Arc" | "Rc", Type::Slice(slice)) => Some(&slice.elem),
        ("Arc" | "Rc", held) => named_with_one(held).filter(|(name, _)| *name == "Vec").map(|(_, elem)| elem),
        _ => None,
    }
}

/// The elements of what is a vector in bodies alone: `VecDeque<T>`, `ArrayVec<T, 3>` of arrayvec, `ArrayVec<[T; 3]>` of
/// tinyvec, `SmallVec<[T; 3]>` of smallvec.
pub fn element_in_bodies(last: &syn::PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    let GenericArgument::Type(held) = args.args.first()? else { return None };
    match (last.ident.to_string().as_str(), args.args.len(), held) {
        ("ArrayVec" | "SmallVec", 1, Type::Array(array)) => Some(&array.elem),
        ("ArrayVec", 2, elem) | ("VecDeque", 1, elem) => Some(elem),
        _ => None,
    }
}

/// `Arc` or `Rc` of a vector that is of one of them.
pub fn sharing_pointer(ty: &Type) -> Option<&Ident> {
    let (name, _) = named_with_one(ty)?;
    vector_element(ty).and_then(|_| ["Arc", "Rc"].iter().any(|known| name == known).then_some(name))
}

/// The last name of a path with one type between its brackets, and that type.
fn named_with_one(ty: &Type) -> Option<(&Ident, &Type)> {
    let last = match ty {
        Type::Group(group) => return named_with_one(&group.elem),
        Type::Paren(paren) => return named_with_one(&paren.elem),
        Type::Path(path) => path.path.segments.last()?,
        _ => return None,
    };
    match &last.arguments {
        PathArguments::AngleBracketed(args) => match args.args.first()? {
            GenericArgument::Type(held) => Some((&last.ident, held)),
            _ => None,
        },
        _ => None,
    }
}

/// A function that stands in the place of a parameter: the user's function is called with it, and generated ones
/// have no such parameter.
#[derive(Clone)]
pub struct GivenFunction {
    /// The position of the parameter, among all of the user's function.
    pub at: usize,
    /// The function as the option names it.
    pub path: Path,
    /// Whether the parameter is behind a `&`.
    pub is_reference: bool,
}

/// What a function returns that has no value.
#[allow(clippy::large_enum_variant, reason = "a function has one")]
#[derive(Clone)]
pub enum Failure {
    /// `None`
    Absent,
    /// `Err` of a value of this type, which nobody here looks into.
    Error(Type),
}

/// Whose result a function returns on each rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OverRanks {
    /// A share: the sum over ranks is the result.
    Partial,
    /// The same on all ranks.
    Replicated,
}

impl OverRanks {
    /// Of the word that the attribute has for it.
    pub fn of(word: &str) -> Option<OverRanks> {
        match word {
            "partial" => Some(OverRanks::Partial),
            "replicated" => Some(OverRanks::Replicated),
            _ => None,
        }
    }
}

/// A type of the user's module whose method a function is.
#[derive(Clone)]
pub struct Owner {
    /// Its name.
    pub name: Ident,
    /// What stands before `::` where the method is named: `Model`, `<Model as Energy>` or `<Layer<f64, N>>`.
    pub path: TokenStream,
    /// The parameters of its `impl`, lifetimes apart.
    pub params: Vec<Ident>,
}

/// A parameter.
#[derive(Clone)]
pub struct Param {
    /// Its name (`_` patterns get one).
    pub name: Ident,
    /// Its type in generated functions: as written, but for vectors.
    pub ty: Type,
    /// What kind of host value it is.
    pub kind: ParamKind,
    /// The vector or box that the function itself takes where generated functions take a slice.
    pub vector: Option<Vector>,
    /// Its buffers in the primal program: one, or one for each member of a struct.
    pub leaves: Vec<Leaf>,
    /// The struct or tuple that it is, or of whose values it consists.
    pub record: Option<Rc<Record>>,
    /// Of a slice: its elements, if these have vectors with lengths of their own.
    pub elements: Option<Content>,
    /// Whether it has an adjoint argument.
    pub active: bool,
    /// Of a parameter of bodies: what of the function's own parameter it is, where that is a sum.
    pub product: Option<Rc<Product>>,
}

/// A parameter of bodies that is another value than that of the function.
pub struct Product {
    /// The name of the function's own parameter.
    pub of: Ident,
    /// The way to the part that it is.
    pub way: Vec<Member>,
    /// The type of that part.
    pub ty: Type,
    /// What the part is, or consists of, if it is the product of that in bodies; else they take it as it is.
    pub record: Option<Rc<Record>>,
    /// The pointer that shares the vector that the part is.
    pub pointer: Option<Ident>,
    /// Whether bodies take a slice of it alone.
    pub is_one: bool,
}

impl Param {
    /// Whether bodies take it as a product.
    pub fn is_product(&self) -> bool {
        let record = self.record.as_ref().filter(|_| self.elements.is_none());
        record.is_some_and(|record| is_product(record, self.kind, self.active))
    }
}

/// Whether bodies take a parameter as a product: there are options in it, private members, or fields of types that are
/// not known, which may belong to one thread; numbers are written to enums, or are read of them that no expression of
/// the host names. Of elements with vectors, bodies take copies of the members.
pub fn is_product(record: &Record, kind: ParamKind, active: bool) -> bool {
    let has_rows = record.is_open() && matches!(kind, ParamKind::Slice { .. });
    record.has_options()
        || record.has_private()
        || record.has_unknown() && !has_rows
        || record.has_enums() && kind.is_output()
        || record.has_held_values() && (active || record.holds_more_than_numbers())
}

/// A vector or box of the function, in whose place generated functions take a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vector {
    /// `Box<[T]>` or a pointer that shares, not `Vec<T>`.
    pub boxed: bool,
    /// By value.
    pub moved: bool,
}

/// A buffer of the program and where it lies in a host value.
#[derive(Clone)]
pub struct Leaf {
    /// The buffer.
    pub buffer: BufferId,
    /// The type of its elements.
    pub elem: Ty,
    /// The members on the way to it, each with the number of indices in front of it: `x[i].atoms[k].mass` is
    /// `[(1, atoms), (2, mass)]`. Empty where the value is no struct.
    pub path: Vec<(usize, Member)>,
    /// The type of the elements of the outermost array, if that is one of structs.
    pub outer: Option<Type>,
    /// How it is read from an enum, where it is a number of one; the last entry of the path stands for that.
    pub of_enum: Option<Rc<Reading>>,
    /// Whether it says which variant a value beside vectors is, in elements of slices: no function changes it.
    pub is_constant: bool,
}

/// How a number of an enum is read from a value of it.
pub enum Reading {
    /// `value as i64`, of an enum whose variants hold nothing.
    Cast,
    /// The position of the variant: `match &value { E::A { .. } => 0, E::B { .. } => 1 }`
    Position(Rc<Record>),
    /// A number that one of the variants holds, zero for the others: `if let E::B { x, .. } = &value { *x } else { 0.0 }`
    Held {
        /// The enum.
        of: Rc<Record>,
        /// Which of its variants.
        variant: usize,
        /// What it is called in the variant.
        member: Member,
    },
}

impl Leaf {
    /// Of a value that is no struct.
    pub fn plain(buffer: BufferId, elem: Ty) -> Leaf {
        Leaf { buffer, elem, path: Vec::new(), outer: None, of_enum: None, is_constant: false }
    }
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
    /// `&[Vec<T>]` or `&mut [Vec<T>]` of floats.
    Rows {
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
    /// `&impl Communicator`: its parts are its number among those of the function, this rank, and how many there
    /// are.
    Communicator,
    /// An array of the crate `ndarray`.
    NdArray {
        /// Who owns the elements.
        form: Form,
        /// The number of dimensions.
        rank: usize,
        /// Whether it is behind a `&` or a `&mut`.
        reference: bool,
        /// Whether its elements are the caller's to see changed.
        mutable: bool,
    },
}

impl ParamKind {
    /// Whether the caller sees what the function writes to it.
    pub fn is_output(self) -> bool {
        match self {
            ParamKind::Scalar | ParamKind::Array | ParamKind::Communicator => false,
            ParamKind::ScalarRef { mutable }
            | ParamKind::Slice { mutable }
            | ParamKind::Rows { mutable }
            | ParamKind::ArrayRef { mutable }
            | ParamKind::NdArray { mutable, .. } => mutable,
        }
    }

    /// Whether it is a communicator.
    pub fn is_communicator(self) -> bool {
        self == ParamKind::Communicator
    }

    /// The number of dimensions of an array of `ndarray`.
    pub fn axes(self) -> Option<usize> {
        match self {
            ParamKind::NdArray { rank, .. } => Some(rank),
            _ => None,
        }
    }
}

/// The shape of what the function returns; the leaves of its members are the program's `results`, in order.
#[allow(clippy::large_enum_variant, reason = "a function has a handful of them")]
#[derive(Clone)]
pub enum ResultShape {
    /// Nothing.
    Unit,
    /// A scalar, an array or a struct.
    One(Returned),
    /// A tuple of these.
    Tuple(Vec<Returned>),
}

impl Returned {
    /// The struct that owns vectors, if it is one.
    pub fn owner(&self) -> Option<&Record> {
        self.record.as_deref().filter(|record| vector_element(&self.ty).is_none() && record.owns_vectors())
    }

    /// Whether its length, or the lengths in it, are known only when it is computed.
    pub fn is_long(&self) -> bool {
        vector_element(&self.ty).is_some() || self.owner().is_some()
    }
}

/// Something that is returned.
#[derive(Clone)]
pub struct Returned {
    /// Its type as written.
    pub ty: Type,
    /// Its buffers: one, or one for each member of a struct.
    pub leaves: Vec<Leaf>,
    /// The struct or tuple that it is, or of whose values it consists.
    pub record: Option<Rc<Record>>,
    /// Of bodies: what the function itself returns, where this is the product of that.
    pub product_of: Option<Rc<Record>>,
}

impl Returned {
    /// Whether bodies return it as a product, since an enum or an option in it is more than a number by itself, or
    /// members are private.
    pub fn is_product(&self) -> bool {
        let is_made = |leaf: &Leaf| match leaf.of_enum.as_deref() {
            None => true,
            Some(Reading::Position(of)) if of.holds_values() => false,
            Some(Reading::Held { .. }) => false,
            Some(_) => leaf.path.last().is_none_or(|(depth, _)| *depth == 0),
        };
        let is_other =
            self.record.as_ref().is_some_and(|record| record.has_options() || record.has_private());
        is_other || !self.leaves.iter().all(is_made)
    }
}

impl ResultShape {
    /// What is returned, in order.
    pub fn members(&self) -> &[Returned] {
        match self {
            ResultShape::Unit => &[],
            ResultShape::One(one) => std::slice::from_ref(one),
            ResultShape::Tuple(members) => members,
        }
    }
}
