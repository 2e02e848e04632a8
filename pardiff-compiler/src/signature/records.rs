//! Structs, tuples, enums and options: what they hold, and which parts bodies take of them.

use crate::ir::Ty;
use proc_macro2::Ident;
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::{GenericArgument, Member, Type};

/// A struct of the user's module, or a tuple. An enum is one of an integer, its discriminant, and of what each of its
/// variants holds, zeros for those that a value is not. An option is the tuple of whether there is a value, and the
/// value.
#[derive(Clone)]
pub struct Record {
    /// Its name, if it is a struct.
    pub name: Option<Ident>,
    /// The arguments of its type as they are written.
    pub arguments: Vec<GenericArgument>,
    /// In order.
    pub fields: Vec<Field>,
    /// What is derived for it, by the last name of each path; nothing for a tuple.
    pub derives: Vec<String>,
    /// Those of an enum; nothing for the others.
    pub variants: Vec<Variant>,
    /// The known crate that it is of: generated code writes no literals of it.
    pub of_crate: Option<OfCrate>,
    /// Whether it is an option.
    pub is_option: bool,
}

/// A known crate whose type a struct is.
#[derive(Clone)]
pub struct OfCrate {
    /// Its name.
    pub name: String,
    /// Whether its members are private, or in a vector of the machine, so that generated code cannot name them.
    pub is_private: bool,
}

/// A variant of an enum.
#[derive(Clone)]
pub struct Variant {
    /// Its name.
    pub name: Ident,
    /// Its discriminant; where variants hold values, its position.
    pub discriminant: i64,
    /// What it holds: the name or number of each, and which field of the record it is.
    pub holds: Vec<(Member, usize)>,
}

/// A field of a struct, or a member of a tuple.
#[derive(Clone)]
pub struct Field {
    /// Its name or number.
    pub member: Member,
    /// Its type, without aliases.
    pub ty: Type,
    /// What it holds.
    pub content: Content,
}

/// The name or number of a member in names and messages.
pub fn member_name(member: &Member) -> String {
    match member {
        Member::Named(name) => name.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

/// A field that a body takes by itself.
pub struct Part<'a> {
    /// The way to it.
    pub way: Vec<Member>,
    /// The field.
    pub field: &'a Field,
    /// Whether it is of a known crate, whose own functions lend it.
    pub is_of_crate: bool,
}

/// What a field, or an element of it, is.
#[derive(Clone)]
pub enum Content {
    /// A number or a bool.
    Scalar(Ty),
    /// `[T; N]`
    Array(Box<Content>),
    /// Another struct, or a tuple.
    Record(Rc<Record>),
    /// `Vec<T>`, `Box<[T]>`, or one that is shared: an element and its type.
    Vector(Box<Content>, Box<Type>),
    /// What only a local variable is: a slice, a vector, a reference, whose value says how many numbers are in it, or
    /// an option of such.
    Open,
    /// A value of a type that is not known, which no derivative reads.
    Unknown {
        /// Whether the type names floats.
        names_floats: bool,
    },
}

impl Content {
    /// Whether floats are in it.
    pub fn has_floats(&self) -> bool {
        match self {
            Content::Scalar(ty) => ty.is_float(),
            Content::Array(elem) | Content::Vector(elem, _) => elem.has_floats(),
            Content::Record(record) => record.has_floats(),
            Content::Open => true,
            Content::Unknown { .. } => false,
        }
    }

    /// Whether nothing in it is borrowed.
    fn is_owned(&self) -> bool {
        match self {
            Content::Open => false,
            Content::Record(record) => record.fields.iter().all(|field| field.content.is_owned()),
            Content::Scalar(_) | Content::Array(_) | Content::Vector(..) | Content::Unknown { .. } => true,
        }
    }

    /// Whether it is a vector, or a value with vectors in it.
    pub fn has_vectors(&self) -> bool {
        match self {
            Content::Vector(..) => true,
            Content::Record(record) => record.is_open(),
            _ => false,
        }
    }

    /// Whether the vectors in a vector of it have lengths of their own: all but rows of floats, those of matrices.
    pub fn is_ragged(&self) -> bool {
        match self {
            Content::Vector(of, _) => !matches!(**of, Content::Scalar(Ty::Float(_))),
            content => content.has_vectors(),
        }
    }

    /// The enum or option that it is, if vectors are in that.
    pub fn open_sum(&self) -> Option<&Rc<Record>> {
        match self {
            Content::Record(record) if record.is_open_sum() => Some(record),
            _ => None,
        }
    }

    /// Whether it is a vector.
    pub fn is_vector(&self) -> bool {
        matches!(self, Content::Vector(..))
    }

    /// The struct or tuple that it is, or that its elements are.
    pub fn record(&self) -> Option<&Rc<Record>> {
        match self {
            Content::Scalar(_) | Content::Open | Content::Unknown { .. } => None,
            Content::Array(elem) | Content::Vector(elem, _) => elem.record(),
            Content::Record(record) => Some(record),
        }
    }
}

impl Record {
    /// Whether it is an enum.
    pub fn is_enum(&self) -> bool {
        !self.variants.is_empty()
    }

    /// Whether it is an enum with variants that hold values.
    pub fn holds_values(&self) -> bool {
        self.variants.iter().any(|variant| !variant.holds.is_empty())
    }

    /// Whether it is an enum that is no `Copy`, or that may be none because it holds values.
    pub fn is_moved(&self) -> bool {
        self.is_enum() && (self.holds_values() || !self.derives("Copy"))
    }

    /// Whether such an enum is in it.
    pub fn has_held_values(&self) -> bool {
        let within = |field: &Field| field.content.record().is_some_and(|it| it.has_held_values());
        self.holds_values() || self.fields.iter().any(within)
    }

    /// Whether such an enum is in it that holds anything but numbers.
    pub fn holds_more_than_numbers(&self) -> bool {
        let within = |field: &Field| match &field.content {
            Content::Scalar(_) | Content::Unknown { .. } => false,
            content => self.holds_values() || content.record().is_some_and(|it| it.holds_more_than_numbers()),
        };
        self.fields.iter().any(within)
    }

    /// Whether an enum is in it.
    pub fn has_enums(&self) -> bool {
        self.is_enum() || self.fields.iter().any(|it| it.content.record().is_some_and(|it| it.has_enums()))
    }

    /// Whether it is a value of a sum type, an enum or an option, or one is in it.
    pub fn has_sum_types(&self) -> bool {
        self.has_enums() || self.has_options()
    }

    /// Whether it is a type with private members.
    pub fn is_private(&self) -> bool {
        self.of_crate.as_ref().is_some_and(|it| it.is_private)
    }

    /// Whether such a type is in it.
    pub fn has_private(&self) -> bool {
        let within = |field: &Field| field.content.record().is_some_and(|record| record.has_private());
        self.is_private() || self.fields.iter().any(within)
    }

    /// Whether a field of a type that is not known is in it.
    pub fn has_unknown(&self) -> bool {
        self.unknown().is_some()
    }

    /// The first of these fields, with its struct.
    pub fn unknown(&self) -> Option<(&Record, &Field)> {
        self.find_unknown(&|_, _| true)
    }

    /// The first of these fields that is accepted, with its struct.
    fn find_unknown(&self, is_it: &dyn Fn(&Record, &Field) -> bool) -> Option<(&Record, &Field)> {
        self.fields.iter().find_map(|field| match &field.content {
            Content::Unknown { .. } => is_it(self, field).then_some((self, field)),
            content => content.record()?.find_unknown(is_it),
        })
    }

    /// The first of these fields in a struct that does not derive `Clone`, so that no value is made after another one.
    pub fn not_copied(&self) -> Option<(&Record, &Field)> {
        self.find_unknown(&|of, _| !of.derives("Clone"))
    }

    /// The first of these fields whose type names floats.
    pub fn unknown_floats(&self) -> Option<(&Record, &Field)> {
        let names_floats = |field: &Field| matches!(field.content, Content::Unknown { names_floats: true });
        self.find_unknown(&|_, field| names_floats(field))
    }

    /// Whether a value of it differs from its product in bodies.
    pub fn has_products(&self) -> bool {
        self.has_sum_types() || self.has_private() || self.has_unknown()
    }

    /// Whether its type does not say how many numbers are in it: a local variable, or a parameter that
    /// [is lent](Record::is_lent).
    pub fn is_open(&self) -> bool {
        let is_open = |field: &Field| match &field.content {
            Content::Open | Content::Vector(..) => true,
            content => content.record().is_some_and(|record| record.is_open()),
        };
        self.fields.iter().any(is_open)
    }

    /// Whether bodies take its [parts](Record::parts): vectors are in it, and nothing else that is open.
    pub fn is_lent(&self) -> bool {
        self.is_open() && self.fields.iter().all(|field| field.content.is_owned())
    }

    /// Whether it is an enum or an option.
    pub fn is_sum(&self) -> bool {
        self.is_enum() || self.is_option
    }

    /// Whether it is an enum or an option with vectors in it: bodies take a slice of one.
    pub fn is_open_sum(&self) -> bool {
        self.is_sum() && self.is_open()
    }

    /// Whether it, or a struct in it, owns vectors.
    pub fn owns_vectors(&self) -> bool {
        self.fields.iter().any(|field| match &field.content {
            Content::Vector(..) => true,
            content => content.record().is_some_and(|record| record.owns_vectors()),
        })
    }

    /// Whether functions return it if it owns vectors: these hold values of constant shape, and nothing in it is
    /// another product in bodies.
    pub fn is_returned(&self) -> bool {
        let is_flat = |part: &Part<'_>| match &part.field.content {
            Content::Vector(elem, _) => {
                !elem.has_vectors() && super::sharing_pointer(&part.field.ty).is_none()
            }
            _ => true,
        };
        !self.has_products() && self.parts().iter().all(is_flat)
    }

    /// Whether it is an option, or one is in it.
    pub fn has_options(&self) -> bool {
        let within = |field: &Field| field.content.record().is_some_and(|record| record.has_options());
        self.is_option || self.fields.iter().any(within)
    }

    /// What bodies take of a struct that owns vectors: its fields, and those of structs in it that own such.
    pub fn parts(&self) -> Vec<Part<'_>> {
        let known = self.fields.iter().filter(|field| !matches!(field.content, Content::Unknown { .. }));
        let parts = known.flat_map(|field| {
            let mut inner = match &field.content {
                Content::Record(record) if record.is_open() && !record.is_open_sum() => record.parts(),
                _ => vec![Part { way: Vec::new(), field, is_of_crate: self.of_crate.is_some() }],
            };
            inner.iter_mut().for_each(|part| part.way.insert(0, field.member.clone()));
            inner
        });
        parts.collect()
    }

    /// Whether floats are in it.
    pub fn has_floats(&self) -> bool {
        self.fields.iter().any(|field| field.content.has_floats())
    }

    /// Whether its values have the trait of the standard library, which is derived for structs. Tuples have it if their
    /// members do and are not more than twelve, which is as far as the standard library goes.
    pub fn derives(&self, name: &str) -> bool {
        match self.name {
            Some(_) => self.derives.iter().any(|derived| derived == name),
            None => {
                let mut inner = self.fields.iter().filter_map(|field| field.content.record());
                self.fields.len() <= 12 && inner.all(|record| record.derives(name))
            }
        }
    }

    /// The structs that its type names.
    pub fn names(&self) -> Vec<&Ident> {
        match &self.name {
            Some(name) => vec![name],
            None => {
                let inner = self.fields.iter().filter_map(|field| field.content.record());
                inner.flat_map(|record| record.names()).collect()
            }
        }
    }
}
