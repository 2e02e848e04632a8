//! Arrays of `ndarray` that a function makes: `Array2::zeros((n, m))`, which is `vec![vec![0.0; m]; n]`.

use super::super::infer::Type;
use super::super::tree::{Expr, Kind, Len};
use super::{Resolver, bare};
use crate::ndarray::MOST_DIMENSIONS;
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments};

impl Resolver<'_> {
    /// Whether this is the name of an owned array.
    pub(super) fn is_nd_array(name: &str) -> bool {
        matches!(name, "Array" | "Array1" | "Array2" | "Array3" | "Array4")
    }

    /// `Array2::zeros(shape)` and the like; `None` if the function is not known.
    pub(super) fn nd_made(&mut self, path: &syn::Path, name: &str, e: &syn::ExprCall) -> Option<Expr> {
        let span = e.span();
        let args: Vec<&syn::Expr> = e.args.iter().collect();
        let (shape, value) = match (name, &args[..]) {
            ("zeros", [shape]) => (shape, Kind::Int(0)),
            ("ones", [shape]) => (shape, Kind::Int(1)),
            ("from_elem", [shape, value]) => {
                let extents = self.extents(shape)?;
                let value = self.expr(value);
                return Some(self.nd_filled(path, extents, value, span));
            }
            _ => return None,
        };
        let extents = self.extents(shape)?;
        let value = Expr::new(value, self.fresh(), span);
        Some(self.nd_filled(path, extents, value, span))
    }

    fn nd_filled(
        &mut self,
        path: &syn::Path,
        extents: Vec<Expr>,
        value: Expr,
        span: proc_macro2::Span,
    ) -> Expr {
        let elem = value.ty.clone();
        let array = path.segments.iter().rev().nth(1);
        if let Some(syn::PathSegment { arguments: PathArguments::AngleBracketed(written), .. }) = array
            && let Some(GenericArgument::Type(written)) = written.args.first()
            && let Some(written) = self.type_of(written)
        {
            self.unify(&written, &elem, span);
        }
        let named = array.and_then(|array| array.ident.to_string().strip_prefix("Array")?.parse().ok());
        let rank = extents.len();
        if rank > MOST_DIMENSIONS || named.is_some_and(|named: usize| named != rank) {
            return self.refuse(
                span,
                format!("an array with a shape of {rank} lengths"),
                "the number of its dimensions is that of its type, one to four",
                "write a length for each dimension: `Array2::<f64>::zeros((n, m))`",
            );
        }
        extents.into_iter().rev().fold(value, |row, len| {
            let ty = Type::array(row.ty.clone(), Len::Axis);
            Expr::new(Kind::Repeat(row.boxed(), len.boxed()), ty, span)
        })
    }

    /// The lengths that a shape consists of.
    fn extents(&mut self, shape: &syn::Expr) -> Option<Vec<Expr>> {
        let written: Vec<&syn::Expr> = match bare(shape) {
            syn::Expr::Tuple(list) => list.elems.iter().collect(),
            syn::Expr::Array(list) => list.elems.iter().collect(),
            _ => Vec::new(),
        };
        let mut extents: Vec<Expr> = written.into_iter().map(|len| self.expr(len)).collect();
        if extents.is_empty() {
            let shape = self.expr(shape);
            extents = match (&shape.kind, self.infer.peel(&shape.ty)) {
                (Kind::Tuple(parts), _) => parts.clone(),
                (_, Type::Tuple(parts)) => {
                    let member = |(at, ty): (usize, &Type)| {
                        Expr::new(Kind::Field(shape.clone().boxed(), at), ty.clone(), shape.span)
                    };
                    parts.iter().enumerate().map(member).collect()
                }
                _ => vec![shape],
            };
        }
        for len in &extents {
            self.unify(&len.ty, &Type::USIZE, len.span);
        }
        Some(extents)
    }
}
