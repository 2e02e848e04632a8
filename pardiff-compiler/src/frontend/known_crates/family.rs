//! The families of known types: which names are theirs, and which types they are.

use super::super::{Features, linked};
use super::{complex, core, glam, nalgebra};
use proc_macro2::{Span, TokenStream};
use std::fmt;
use syn::{GenericArgument, Ident, PathArguments, Type};

/// A family: types with one text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Family {
    Complex,
    GlamVector,
    GlamMatrix,
    GlamQuaternion,
    Matrix,
    /// Matrices of `nalgebra` with sizes of run time, which are 0 in the place of numbers.
    Dynamic,
    Point,
    Quaternion,
    UnitQuaternion,
    UnitComplex,
    UnitVector,
    Rotation,
    Translation,
    Isometry,
    /// The types of `nalgebra` that stand for sizes.
    Size,
    /// Integers of the standard library that are not zero.
    NonZero,
    Char,
}

/// A type of a known crate.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Instance {
    pub(super) family: Family,
    /// `f64` or `f32`; of types of the standard library, an integer.
    pub(crate) elem: &'static str,
    /// Its sizes; of a matrix rows and columns.
    pub(super) dims: Vec<usize>,
}

/// What a name says of a type; arguments say the rest.
#[derive(Clone)]
pub(crate) struct Named {
    pub(super) family: Family,
    /// The float, if the name says it.
    pub(super) elem: Option<&'static str>,
    /// The sizes; `None` where an argument says it.
    pub(super) dims: Vec<Option<usize>>,
    /// Whether the last argument says where the numbers are: `Matrix<f64, U3, U1, Owned<f64, U3, U1>>`.
    pub(super) has_storage: bool,
}

/// What a name means where these features are on; if it is that of a function, which function of the type does the
/// same.
pub(crate) fn named(name: &str, features: Features) -> Option<(Named, Option<&'static str>)> {
    let of_complex = || complex::named(name).filter(|_| features.num_complex);
    let of_glam = || glam::named(name).filter(|_| features.glam);
    let of_nalgebra = || nalgebra::named(name).filter(|_| features.nalgebra).map(|named| (named, None));
    of_complex()
        .or_else(of_glam)
        .or_else(of_nalgebra)
        .or_else(|| core::named(name).map(|named| (named, None)))
}

impl Named {
    /// Whose arguments say nothing but its float and sizes.
    pub(super) fn new(family: Family, elem: Option<&'static str>, dims: Vec<Option<usize>>) -> Named {
        Named { family, elem, dims, has_storage: false }
    }

    /// Whether it is a type that stands for a size.
    pub(crate) fn is_size(&self) -> bool {
        self.family == Family::Size
    }

    /// The feature that it is known with.
    pub(super) fn feature(&self) -> &'static str {
        match self.family.of_crate() {
            "num_complex" => "num-complex",
            of_crate => of_crate,
        }
    }

    /// With the arguments that are written; how many are not.
    pub(crate) fn instance(
        &self,
        arguments: &PathArguments,
        elem: &'static str,
    ) -> Option<(Instance, usize)> {
        let takes = usize::from(self.elem.is_none())
            + self.dims.iter().filter(|dim| dim.is_none()).count()
            + usize::from(self.has_storage);
        let PathArguments::AngleBracketed(args) = arguments else {
            let dims: Option<Vec<usize>> = self.dims.iter().copied().collect();
            let elem = self.elem.unwrap_or(elem);
            return Some((Instance { family: self.family, elem, dims: dims? }, takes));
        };
        let mut args = args.args.iter();
        let elem = match self.elem {
            Some(elem) => elem,
            None => match args.next()? {
                GenericArgument::Type(Type::Infer(_)) => elem,
                GenericArgument::Type(Type::Path(path)) => {
                    let name = path.path.get_ident()?.to_string();
                    let numbers: &[&str] =
                        if self.family == Family::NonZero { &core::INTEGERS } else { &["f64", "f32"] };
                    numbers.iter().copied().find(|number| *number == name)?
                }
                _ => return None,
            },
        };
        let mut dims = Vec::new();
        for dim in &self.dims {
            dims.push(match dim {
                Some(dim) => *dim,
                None => number(args.next()?)?,
            });
        }
        let has_storage = !self.has_storage || args.next().is_some_and(is_owned);
        (has_storage && args.next().is_none()).then_some((Instance { family: self.family, elem, dims }, 0))
    }
}

/// All features, as texts are read with.
pub(super) const ALL: Features = Features {
    num_complex: true,
    glam: true,
    nalgebra: true,
    ndarray: false,
    cuda: false,
    gemm: false,
    num_traits: false,
};

/// The type that a lexeme of a text names, whose arguments are taken off the text behind it.
pub(super) fn mentioned(lexeme: &str, behind: &mut &str) -> Option<Instance> {
    let may_be = lexeme.starts_with(|c: char| c.is_ascii_uppercase()) || lexeme == "char";
    let (named, None) = may_be.then(|| named(lexeme, ALL))?? else { return None };
    let mut written = "";
    if (named.elem.is_none() || named.dims.contains(&None))
        && let Some((arguments, rest)) = behind.strip_prefix('<').and_then(|behind| behind.split_once('>'))
    {
        (written, *behind) = (arguments, rest);
    }
    let mut written = written.split(',').map(str::trim);
    let elem = match named.elem {
        Some(elem) => elem,
        None if written.next() == Some("f32") => "f32",
        None => "f64",
    };
    let mut next = || written.next().and_then(|text| text.parse().ok()).unwrap_or_default();
    let dims = named.dims.iter().map(|dim| dim.unwrap_or_else(&mut next)).collect();
    Some(Instance { family: named.family, elem, dims })
}

/// The numbers between brackets.
pub(crate) fn sizes(arguments: &syn::AngleBracketedGenericArguments) -> Vec<usize> {
    arguments.args.iter().filter_map(number).collect()
}

fn number(argument: &GenericArgument) -> Option<usize> {
    match argument {
        GenericArgument::Const(syn::Expr::Lit(lit)) => match &lit.lit {
            syn::Lit::Int(int) => int.base10_parse().ok().filter(|it| *it > 0 && *it <= nalgebra::LARGEST),
            _ => None,
        },
        GenericArgument::Type(ty) => size(ty),
        _ => None,
    }
}

/// The size that a number stands for, or a type: `3`, `U3`, `Const<3>`.
pub(crate) fn size(ty: &Type) -> Option<usize> {
    match ty {
        Type::Verbatim(number) => number.to_string().parse().ok(),
        Type::Path(ty) => {
            let last = ty.path.segments.last()?;
            let named = nalgebra::named(&linked::plain(&last.ident.to_string()))?;
            let (of, _) = named.instance(&last.arguments, "f64").filter(|_| named.family == Family::Size)?;
            of.dims.first().copied()
        }
        _ => None,
    }
}

/// Whether a type that the attribute knows stands for a size.
pub(crate) fn is_size(ty: &Type) -> bool {
    let is_known =
        |path: &syn::Path| path.get_ident().is_some_and(|name| linked::is_unique(&name.to_string()));
    matches!(ty, Type::Path(of) if is_known(&of.path)) && size(ty).is_some()
}

/// Whether the numbers of a matrix are its own: `Owned<f64, U3>`.
fn is_owned(storage: &GenericArgument) -> bool {
    match storage {
        GenericArgument::Type(Type::Infer(_)) => true,
        GenericArgument::Type(Type::Path(ty)) => {
            ty.path.segments.last().is_some_and(|last| last.ident == "Owned" || last.ident == "ArrayStorage")
        }
        _ => false,
    }
}

impl Family {
    fn of_crate(self) -> &'static str {
        match self {
            Family::Complex => "num_complex",
            Family::GlamVector | Family::GlamMatrix | Family::GlamQuaternion => "glam",
            Family::NonZero | Family::Char => "core",
            _ => "nalgebra",
        }
    }
}

impl Instance {
    /// The type of characters.
    pub(crate) const CHAR: Instance = Instance { family: Family::Char, elem: "u32", dims: Vec::new() };

    /// A matrix of `nalgebra`.
    pub(crate) fn matrix(elem: &'static str, rows: usize, columns: usize) -> Instance {
        Instance { family: Family::Matrix, elem, dims: vec![rows, columns] }
    }

    /// Whether it is a type that stands for a size.
    pub(crate) fn is_size(&self) -> bool {
        self.family == Family::Size
    }

    /// The type of `nalgebra` that stands for a size.
    pub(crate) fn size(size: usize) -> Instance {
        Instance { family: Family::Size, elem: "f64", dims: vec![size] }
    }

    /// A point of `nalgebra`.
    pub(crate) fn point(elem: &'static str, size: usize) -> Instance {
        Instance { family: Family::Point, elem, dims: vec![size] }
    }

    /// A translation of `nalgebra`.
    pub(crate) fn translation(elem: &'static str, size: usize) -> Instance {
        Instance { family: Family::Translation, elem, dims: vec![size] }
    }

    /// A matrix of `nalgebra` whose sizes are known at run time; of a vector, there is one column.
    pub(crate) fn dynamic(elem: &'static str, columns: usize) -> Instance {
        Instance { family: Family::Dynamic, elem, dims: vec![0, columns] }
    }

    /// The values of unit length among those of `nalgebra`: `Unit<V>`.
    pub(crate) fn unit(&self) -> Option<Instance> {
        let family = match (self.family, &self.dims[..]) {
            (Family::Matrix, [_, 1]) => Family::UnitVector,
            (Family::Quaternion, _) => Family::UnitQuaternion,
            (Family::Complex, _) => Family::UnitComplex,
            _ => return None,
        };
        let size = match family {
            Family::UnitComplex => 2,
            _ => self.dims[0],
        };
        Some(Instance { family, elem: self.elem, dims: vec![size] })
    }

    /// What stands between the brackets of a function that makes such a value.
    pub(crate) fn arguments_of_functions(&self) -> PathArguments {
        let elem = Ident::new(self.elem, Span::call_site());
        match self.family {
            Family::Complex => PathArguments::AngleBracketed(syn::parse_quote!(::<#elem>)),
            _ => PathArguments::None,
        }
    }

    /// What stands between the brackets of its name without a size: `Translation<f64, 3>`.
    pub(crate) fn sized_arguments(&self) -> PathArguments {
        let (elem, size) = (Ident::new(self.elem, Span::call_site()), self.dims[0]);
        let size = proc_macro2::Literal::usize_unsuffixed(size);
        PathArguments::AngleBracketed(syn::parse_quote!(<#elem, #size>))
    }

    /// Whether its members are no public fields in memory, so that generated code cannot name them: those of `glam`
    /// that are vectors of the machine, and rotations of `nalgebra`. The runtime's trait `Private` converts them.
    pub(super) fn is_private(&self) -> bool {
        let is_single = self.elem == "f32";
        match self.family {
            Family::GlamVector => is_single && self.dims[0] == 4,
            Family::GlamMatrix => is_single && self.dims[0] != 3,
            Family::GlamQuaternion => is_single,
            Family::UnitQuaternion
            | Family::UnitComplex
            | Family::UnitVector
            | Family::Rotation
            | Family::Isometry
            | Family::NonZero
            | Family::Char => true,
            Family::Complex
            | Family::Matrix
            | Family::Dynamic
            | Family::Point
            | Family::Quaternion
            | Family::Size
            | Family::Translation => false,
        }
    }

    /// As it is shown.
    pub(super) fn name(&self) -> String {
        match self.family {
            Family::Complex => "Complex".to_owned(),
            Family::GlamVector | Family::GlamMatrix | Family::GlamQuaternion => self.to_string(),
            Family::Matrix | Family::Point => nalgebra::name(self),
            _ => self.to_string().split('<').next().unwrap_or_default().to_owned(),
        }
    }

    /// The crate.
    pub(crate) fn of_crate(&self) -> &'static str {
        self.family.of_crate()
    }

    /// From the module of the runtime with all known crates.
    pub(crate) fn path(&self) -> TokenStream {
        format!("{}::{self}", self.of_crate()).parse().unwrap_or_default()
    }

    pub(super) fn text(&self) -> &'static str {
        match self.family {
            Family::Complex => include_str!("texts/complex.text"),
            Family::GlamVector => {
                concat!(
                    include_str!("texts/glam_vector.text"),
                    include_str!("texts/glam_vector_operators.text")
                )
            }
            Family::GlamMatrix => {
                concat!(
                    include_str!("texts/glam_matrix.text"),
                    include_str!("texts/glam_matrix_operators.text")
                )
            }
            Family::GlamQuaternion => include_str!("texts/glam_quaternion.text"),
            Family::Matrix => concat!(
                include_str!("texts/nalgebra_matrix.text"),
                include_str!("texts/nalgebra_matrix_functions.text"),
                include_str!("texts/nalgebra_shapes.text"),
                include_str!("texts/nalgebra_decompositions.text"),
                include_str!("texts/nalgebra_operators.text")
            ),
            Family::Dynamic => concat!(
                include_str!("texts/nalgebra_dynamic.text"),
                include_str!("texts/nalgebra_dynamic_operators.text")
            ),
            Family::Point => include_str!("texts/nalgebra_point.text"),
            Family::Quaternion => include_str!("texts/nalgebra_quaternion.text"),
            Family::UnitQuaternion => include_str!("texts/nalgebra_unit_quaternion.text"),
            Family::UnitComplex => include_str!("texts/nalgebra_unit_complex.text"),
            Family::UnitVector => include_str!("texts/nalgebra_unit_vector.text"),
            Family::Rotation => include_str!("texts/nalgebra_rotation.text"),
            Family::Translation => include_str!("texts/nalgebra_translation.text"),
            Family::Isometry => include_str!("texts/nalgebra_isometry.text"),
            Family::Size => include_str!("texts/nalgebra_size.text"),
            Family::NonZero => include_str!("texts/core_nonzero.text"),
            Family::Char => include_str!("texts/core_char.text"),
        }
    }
}

/// The type as the crate writes it, which is also the key of its unit.
impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Instance { elem, dims, .. } = self;
        let of_double = if *elem == "f64" { "D" } else { "" };
        match self.family {
            Family::Complex => write!(f, "Complex<{elem}>"),
            Family::NonZero => f.write_str(core::nonzero(elem)),
            Family::Char => f.write_str("char"),
            Family::Size => write!(f, "U{}", dims[0]),
            Family::GlamVector => write!(f, "{of_double}Vec{}", dims[0]),
            Family::GlamMatrix => write!(f, "{of_double}Mat{}", dims[0]),
            Family::GlamQuaternion => write!(f, "{of_double}Quat"),
            Family::Matrix => write!(f, "SMatrix<{elem}, {}, {}>", dims[0], dims[1]),
            Family::Dynamic => write!(f, "{}<{elem}>", nalgebra::dynamic_name(dims)),
            Family::Quaternion | Family::UnitQuaternion | Family::UnitComplex => {
                write!(f, "{:?}<{elem}>", self.family)
            }
            Family::Point
            | Family::UnitVector
            | Family::Rotation
            | Family::Translation
            | Family::Isometry => {
                write!(f, "{:?}{}<{elem}>", self.family, dims[0])
            }
        }
    }
}
