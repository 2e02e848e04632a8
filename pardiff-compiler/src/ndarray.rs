//! Types of the crate `ndarray`, read from their syntax alone: the front end takes their arrays apart, the back end names
//! them in the generated module.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{GenericArgument, Lifetime, PathArguments, Type};

/// The largest number of dimensions.
pub const MOST_DIMENSIONS: usize = 4;

/// Who owns the elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// `Array2<T>`
    Owned,
    /// `ArrayView2<'_, T>`
    View,
    /// `ArrayViewMut2<'_, T>`
    ViewMut,
    /// `ArrayRef2<T>`, which is always behind a reference.
    Ref,
}

impl Form {
    /// What the names of its types start with.
    pub fn name(self) -> &'static str {
        match self {
            Form::Owned => "Array",
            Form::View => "ArrayView",
            Form::ViewMut => "ArrayViewMut",
            Form::Ref => "ArrayRef",
        }
    }

    /// Whether its types have a lifetime.
    pub fn is_view(self) -> bool {
        matches!(self, Form::View | Form::ViewMut)
    }
}

/// A type of `ndarray`.
#[derive(Clone, Copy)]
pub struct Written<'t> {
    /// Who owns the elements.
    pub form: Form,
    /// The number of dimensions.
    pub rank: usize,
    /// The type of the elements.
    pub elem: &'t Type,
    /// The lifetime of a view, where it is written.
    pub lifetime: Option<&'t Lifetime>,
}

/// A type that has the name of one of `ndarray`, and is none that is known here.
pub struct Unknown {
    /// Where the reason is.
    pub span: Span,
    /// Why.
    pub why: &'static str,
    /// What to write instead.
    pub help: &'static str,
}

/// Reads `Array2<T>`, `ArrayView<'_, T, Ix2>` and the like by any path; `None` if the last name is none of `ndarray`'s.
pub fn written(ty: &Type) -> Option<Result<Written<'_>, Unknown>> {
    let Type::Path(path) = bare(ty) else { return None };
    let last = path.path.segments.last()?;
    let name = last.ident.to_string();
    let rest = name.strip_prefix("Array")?;
    let (form, rest) =
        [("ViewMut", Form::ViewMut), ("View", Form::View), ("Ref", Form::Ref), ("", Form::Owned)]
            .into_iter()
            .find_map(|(prefix, form)| Some((form, rest.strip_prefix(prefix)?)))?;
    let unknown = |span, why, help| Some(Err(Unknown { span, why, help }));
    let named = match rest {
        "" => None,
        "D" => return unknown(last.ident.span(), DYNAMIC, FIXED),
        "0" => {
            return unknown(last.ident.span(), "an array without dimensions is a number", "write `s: f64`");
        }
        "1" | "2" | "3" | "4" => rest.parse().ok(),
        "5" | "6" => {
            return unknown(last.ident.span(), RANKS, "join two of them, or pass slices with strides");
        }
        _ => return None,
    };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return unknown(last.ident.span(), "the type of its elements is not written", FIXED);
    };
    let mut lifetime = None;
    let mut types = Vec::new();
    for argument in &arguments.args {
        match argument {
            GenericArgument::Lifetime(of) => lifetime = Some(of),
            GenericArgument::Type(ty) => types.push(ty),
            _ => return None,
        }
    }
    let (elem, rank) = match (&types[..], named) {
        ([elem], Some(rank)) => (*elem, rank),
        ([elem, dimensions], None) => match rank(dimensions) {
            Some(rank) if (1..=MOST_DIMENSIONS).contains(&rank) => (*elem, rank),
            Some(_) => return unknown(dimensions.span(), RANKS, FIXED),
            None => return unknown(dimensions.span(), DYNAMIC, FIXED),
        },
        _ => return unknown(last.ident.span(), "the type of its elements is not written", FIXED),
    };
    Some(Ok(Written { form, rank, elem, lifetime }))
}

const DYNAMIC: &str = "the number of its dimensions is not in its type";
const RANKS: &str = "arrays of one to four dimensions are accepted";
const FIXED: &str = "write `ArrayView2<'_, f64>` or `&Array2<f64>`, with the number of dimensions";

/// `Ix2`
fn rank(ty: &Type) -> Option<usize> {
    let Type::Path(path) = bare(ty) else { return None };
    path.path.segments.last()?.ident.to_string().strip_prefix("Ix")?.parse().ok()
}

fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        ty => ty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn read(text: &str) -> String {
        let ty: Type = syn::parse_str(text).expect(text);
        match written(&ty) {
            None => "none".to_owned(),
            Some(Err(unknown)) => unknown.why.to_owned(),
            Some(Ok(it)) => {
                let lifetime = it.lifetime.map_or(String::new(), |lifetime| format!(" {lifetime}"));
                format!("{}{} {}{lifetime}", it.form.name(), it.rank, it.elem.to_token_stream())
            }
        }
    }

    #[test]
    fn types_are_read_by_any_path() {
        for (text, expected) in [
            ("Array2<f64>", "Array2 f64"),
            ("ndarray::Array1<f32>", "Array1 f32"),
            ("nd::ArrayView3<'a, f64>", "ArrayView3 f64 'a"),
            ("ArrayViewMut4<f64>", "ArrayViewMut4 f64"),
            ("ArrayRef2<usize>", "ArrayRef2 usize"),
            ("Array<f64, Ix2>", "Array2 f64"),
            ("ArrayView<'_, f64, ndarray::Ix1>", "ArrayView1 f64 '_"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn what_has_no_fixed_number_of_dimensions_is_said_to_be_so() {
        for text in ["ArrayD<f64>", "ArrayViewD<'_, f64>", "Array<f64, D>", "Array<f64, IxDyn>"] {
            assert_eq!(read(text), DYNAMIC, "{text}");
        }
        for text in ["Array6<f64>", "ArrayView<'_, f64, Ix5>"] {
            assert_eq!(read(text), RANKS, "{text}");
        }
        for text in ["Arrays<f64>", "ArrayVec<f64, 3>", "f64", "Vec<f64>", "[f64; 3]"] {
            assert_eq!(read(text), "none", "{text}");
        }
    }
}
