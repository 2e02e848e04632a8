//! Arrays of `ndarray`: indices and methods. An array of two dimensions is one of rows here, whose lengths are of the kind
//! `Len::Axis`; views are references to such. What `ndarray` does otherwise than nested arrays do (`len`, `iter`, `fill`)
//! is resolved in this file.

use super::super::chain::{Chain, ChainKind};
use super::super::hygiene::fresh_at;
use super::super::infer::Type;
use super::super::tree::{Access, Expr, Kind, Len, Method, Pattern};
use super::{Resolver, bare, iterator};
use crate::ir::BinOp;
use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// The number of dimensions; 0 if it is no array of `ndarray`.
    pub(super) fn nd_rank(&self, ty: &Type) -> usize {
        let mut rank = 0;
        let mut ty = self.infer.peel(ty);
        while let Type::Array(elem, Len::Axis) = ty {
            rank += 1;
            ty = self.infer.peel(&elem);
        }
        rank
    }

    /// The type of the numbers in an array.
    pub(super) fn nd_element(&self, ty: &Type) -> Type {
        let mut ty = self.infer.peel(ty);
        while let Type::Array(elem, Len::Axis) = ty {
            ty = self.infer.peel(&elem);
        }
        ty
    }

    /// `a[[i, j]]`, `a[(i, j)]` and `a[i]`: an index for each dimension, each with its check.
    pub(super) fn nd_index(&mut self, base: Expr, e: &syn::ExprIndex, access: Access) -> Expr {
        self.nd_place(base, &e.index, &access, e.span())
    }

    fn nd_place(&mut self, base: Expr, index: &syn::Expr, access: &Access, span: Span) -> Expr {
        let rank = self.nd_rank(&base.ty);
        let list: Vec<&syn::Expr> = match bare(index) {
            syn::Expr::Array(list) => list.elems.iter().collect(),
            syn::Expr::Tuple(list) => list.elems.iter().collect(),
            one => vec![one],
        };
        if list.len() != rank {
            let names = ["i", "j", "k", "l"].iter().take(rank).copied().collect::<Vec<_>>().join(", ");
            let names = if rank == 1 { names } else { format!("[{names}]") };
            let number = match list.len() {
                1 => "one index".to_owned(),
                number => format!("{number} indices"),
            };
            return self.refuse(
                index.span(),
                format!("{number} of an array of {}", dimensions(rank)),
                "each dimension has its index, written where the array is indexed",
                format!("write `{}[{names}]`", access.array),
            );
        }
        let mut place = base;
        for (axis, index) in list.into_iter().enumerate() {
            let index = self.expr(index);
            place = self.at(place, index, (axis, rank), access, span);
        }
        place
    }

    /// One index into the first of the dimensions that are left, which is `axis` of `rank`.
    pub(super) fn at(
        &mut self,
        place: Expr,
        index: Expr,
        along: (usize, usize),
        access: &Access,
        span: Span,
    ) -> Expr {
        self.unify(&index.ty, &Type::USIZE, index.span);
        let Type::Array(elem, _) = self.infer.peel(&place.ty) else { return self.error(span) };
        let array = match along {
            (_, 1) => access.array.clone(),
            // stands between the quotes around the name of the array
            (axis, _) => format!("{}` along `Axis({axis})", access.array),
        };
        let access = Access { array, text: access.text.clone() };
        Expr::new(Kind::Index(place.boxed(), index.boxed(), access), *elem, span)
    }

    /// A method of an array of `ndarray`; `None` if the receiver is none, or if its rows have the method as slices do.
    pub(super) fn nd_method(&mut self, e: &syn::ExprMethodCall, array: &Expr, name: &str) -> Option<Expr> {
        let (rank, array) = (self.nd_rank(&array.ty), array.clone());
        if rank == 0 {
            return None;
        }
        let span = e.span();
        let access = Access::of(&e.receiver, e);
        let extent = |axis| {
            let method = Kind::Method(Method::Extent(axis), vec![array.clone()], access.clone());
            Expr::new(method, Type::USIZE, span)
        };
        let count = Kind::Method(Method::Count, vec![array.clone()], access.clone());
        let count = Expr::new(count, Type::USIZE, span);
        let mutable = name.ends_with("_mut");
        let args: Vec<&syn::Expr> = e.args.iter().collect();
        Some(match (name, &args[..]) {
            // one dimension is a slice
            ("len" | "is_empty" | "to_vec" | "clone" | "to_owned" | "swap" | "fill", _) if rank == 1 => {
                return None;
            }
            ("clone" | "to_owned", []) => return None,
            ("len", []) => count,
            ("is_empty", []) => {
                let zero = Expr::usize(0, span);
                Expr::new(Kind::Binary(BinOp::Eq, count.boxed(), zero.boxed()), Type::BOOL, span)
            }
            ("nrows", []) if rank == 2 => extent(0),
            ("ncols", []) if rank == 2 => extent(1),
            ("ndim", []) => Expr::usize(rank as i128, span),
            ("dim" | "raw_dim", []) if rank == 1 => extent(0),
            ("dim" | "raw_dim", []) => {
                let ty = Type::Tuple(vec![Type::USIZE; rank]);
                Expr::new(Kind::Tuple((0..rank).map(extent).collect()), ty, span)
            }
            ("shape", []) => {
                let len = Expr::usize(rank as i128, span);
                let ty = Type::array(Type::USIZE, Len::Known(len.into()));
                Expr::new(Kind::Array((0..rank).map(extent).collect()), ty, span)
            }
            ("len_of", [axis]) => match self.axis(axis, rank) {
                Some(axis) => extent(axis),
                None => self.error(span),
            },
            ("view" | "view_mut", []) => self.nd_part(array, 0, None, mutable, &access, span),
            ("t", []) if rank <= 2 => self.nd_part(array, rank - 1, None, false, &access, span),
            ("slice" | "slice_mut", [part]) => self.nd_slice(array, part, mutable, &access, span),
            ("fill", [value]) => {
                let (elem, value) = (self.nd_element(&array.ty), self.expr(value));
                self.unify(&elem, &value.ty, value.span);
                Expr::new(Kind::Method(Method::Fill, vec![array, value], access), Type::UNIT, span)
            }
            ("swap", [a, b]) => {
                let places = [a, b].map(|index| {
                    let place = self.nd_place(array.clone(), index, &access, span);
                    let ty = Type::reference(true, place.ty.clone());
                    Expr::new(Kind::Borrow(place.boxed()), ty, span)
                });
                Expr::new(Kind::Method(Method::MemSwap, places.into(), access), Type::UNIT, span)
            }
            ("row" | "row_mut" | "column" | "column_mut", [index]) if rank == 2 => {
                let index = self.expr(index);
                let axis = usize::from(name.starts_with("column"));
                self.nd_part(array, axis, Some(index), mutable, &access, span)
            }
            ("index_axis" | "index_axis_mut", [axis, index]) if rank > 1 => match self.axis(axis, rank) {
                Some(axis) => {
                    let index = self.expr(index);
                    self.nd_part(array, axis, Some(index), mutable, &access, span)
                }
                None => self.error(span),
            },
            ("rows" | "rows_mut" | "columns" | "columns_mut", []) if rank == 2 => {
                self.nd_rows(array, usize::from(name.starts_with("columns")), mutable, &access, span)
            }
            ("outer_iter" | "outer_iter_mut", []) if rank > 1 => {
                self.nd_rows(array, 0, mutable, &access, span)
            }
            ("axis_iter" | "axis_iter_mut", [axis]) if rank > 1 => match self.axis(axis, rank) {
                Some(axis) => self.nd_rows(array, axis, mutable, &access, span),
                None => self.error(span),
            },
            ("dot", [other]) if rank == 1 => {
                let other = self.expr(other);
                self.nd_dot(array, other, &access, span)
            }
            _ => self.unknown_nd_method(name, &array, e.method.span()),
        })
    }

    /// A view of an array, or of its part at an index along an axis.
    fn nd_part(
        &mut self,
        array: Expr,
        axis: usize,
        index: Option<Expr>,
        mutable: bool,
        access: &Access,
        span: Span,
    ) -> Expr {
        let rank = self.nd_rank(&array.ty);
        let place = self.turned(array, axis, access, span);
        let place = match index {
            Some(index) => self.at(place, index, (axis, rank), access, span),
            None => place,
        };
        let ty = Type::reference(mutable, self.infer.peel(&place.ty));
        Expr::new(Kind::Borrow(place.boxed()), ty, span)
    }

    /// The parts of an array along an axis, to be iterated over.
    fn nd_rows(&mut self, array: Expr, axis: usize, mutable: bool, access: &Access, span: Span) -> Expr {
        let place = self.turned(array, axis, access, span);
        let Type::Array(row, _) = self.infer.peel(&place.ty) else { return self.error(span) };
        let ty = Type::reference(mutable, Type::slice(*row));
        Expr::new(Kind::Method(Method::Whole, vec![place], access.clone()), ty, span)
    }

    /// The same array with an axis in front of the others.
    pub(super) fn turned(&mut self, array: Expr, axis: usize, access: &Access, span: Span) -> Expr {
        if axis == 0 {
            return array;
        }
        let ty = self.infer.peel(&array.ty);
        Expr::new(Kind::Method(Method::AxisFirst(axis), vec![array], access.clone()), ty, span)
    }

    /// `x.dot(&y)`: the sum of the products of what stands side by side.
    fn nd_dot(&mut self, x: Expr, y: Expr, access: &Access, span: Span) -> Expr {
        if self.nd_rank(&y.ty) != 1 {
            return self.unknown_nd_method("dot", &y, span);
        }
        let elem = self.nd_element(&x.ty);
        self.unify(&elem, &self.nd_element(&y.ty), span);
        let [a, b] = ["a", "b"].map(|name| self.hidden(name, elem.clone(), false, span));
        let value = |local| Expr::local(local, &elem, span).boxed();
        let product = Expr::new(Kind::Binary(BinOp::Mul, value(a), value(b)), elem.clone(), span);
        let text = format!("`{}`: the lengths of the arrays differ", access.text);
        let kind = ChainKind::Numbers { arrays: vec![x, y], rank: 1, indexed: false, text };
        let chain = Chain::new(kind, Type::Tuple(vec![elem.clone(), elem]));
        self.summed(chain, Pattern::Tuple(vec![Pattern::Bind(a), Pattern::Bind(b)]), product, span)
    }

    /// `a.sum()`, `a.fold(…)` and the like on an array itself, which iterate over its numbers.
    pub(super) fn nd_consumer(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let source = match (name, e.args.len()) {
            ("sum" | "product", 0) | ("fold", 2) | ("for_each", 1) => "iter",
            ("map_inplace" | "mapv_inplace", 1) => "iter_mut",
            _ => return None,
        };
        if iterator::is_chain(&e.receiver) {
            return None;
        }
        let mut all = e.clone();
        let receiver = &e.receiver;
        let source = syn::Ident::new(source, e.method.span());
        *all.receiver = syn::parse_quote!(#receiver.#source());
        if source == "iter_mut" {
            all.method = syn::Ident::new("for_each", e.method.span());
        }
        if let Some(f) = e.args.first().filter(|_| name == "mapv_inplace") {
            let x = fresh_at("x", e.span(), e.to_token_stream());
            all.args[0] = syn::parse_quote_spanned!(e.span()=> |#x| *#x = (#f)(*#x));
        }
        Some(self.consumer(&all))
    }

    /// An iterator that arrays of `ndarray` alone have, or `None` in it if it is refused.
    pub(super) fn nd_source(
        &mut self,
        call: &syn::ExprMethodCall,
        array: &Expr,
        name: &str,
    ) -> Option<Option<Chain>> {
        if name.starts_with("outer_iter") || name.starts_with("axis_iter") {
            let Some(rows) = self.nd_method(call, array, name) else {
                self.wrong_arguments(call, name);
                return Some(None);
            };
            return Some(self.elements(rows, None));
        }
        if name.starts_with("indexed_iter") {
            return Some(self.indexed(array.clone(), call, name));
        }
        let parts = name != "into_iter" && !name.starts_with("iter");
        (parts && self.nd_rank(&array.ty) > 1).then(|| {
            self.unknown_nd_method(name, array, call.method.span());
            None
        })
    }

    /// `a.indexed_iter()`: each number behind its indices.
    fn indexed(&mut self, array: Expr, call: &syn::ExprMethodCall, name: &str) -> Option<Chain> {
        let rank = self.nd_rank(&array.ty);
        if rank == 0 || !call.args.is_empty() {
            self.wrong_arguments(call, name);
            return None;
        }
        let number = Type::reference(name.ends_with("_mut"), self.nd_element(&array.ty));
        let index = if rank == 1 { Type::USIZE } else { Type::Tuple(vec![Type::USIZE; rank]) };
        let item = Type::Tuple(vec![index, number]);
        Some(Chain::new(
            ChainKind::Numbers { arrays: vec![array], rank, indexed: true, text: String::new() },
            item,
        ))
    }

    /// The `k` of `Axis(k)`, which must be seen.
    fn axis(&mut self, e: &syn::Expr, rank: usize) -> Option<usize> {
        if let syn::Expr::Call(call) = bare(e)
            && let syn::Expr::Path(path) = bare(&call.func)
            && path.path.segments.last().is_some_and(|last| last.ident == "Axis")
            && let Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(axis), .. })) =
                call.args.first().map(bare)
            && let Ok(axis) = axis.base10_parse::<usize>()
            && axis < rank
        {
            return Some(axis);
        }
        self.refuse(
            e.span(),
            format!("this axis of an array of {}", dimensions(rank)),
            "which dimension it is must be seen here",
            format!("write a number below {rank}: `Axis(0)`"),
        );
        None
    }

    /// Refuses a method.
    pub(super) fn unknown_nd_method(&mut self, name: &str, array: &Expr, span: Span) -> Expr {
        let rank = self.nd_rank(&array.ty);
        let (why, help) = reason(name);
        self.refuse(span, format!("the method `{name}` of an array of {}", dimensions(rank)), why, help)
    }
}

/// `a.shape()[k]`
pub(super) fn shape_member(base: &Expr, e: &syn::ExprIndex) -> Option<Expr> {
    let Kind::Array(parts) = &base.kind else { return None };
    let syn::Expr::MethodCall(call) = bare(&e.expr) else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(at), .. }) = bare(&e.index) else { return None };
    (call.method == "shape").then(|| parts.get(at.base10_parse::<usize>().ok()?).cloned())?
}

fn dimensions(rank: usize) -> String {
    if rank == 1 { "one dimension".to_owned() } else { format!("{rank} dimensions") }
}

/// Why a method is refused, and what to write instead.
fn reason(name: &str) -> (&'static str, &'static str) {
    match name {
        "nrows" | "ncols" | "row" | "row_mut" | "column" | "column_mut" | "rows" | "rows_mut" | "columns"
        | "columns_mut" => (
            "an array of two dimensions has rows and columns",
            "write `len_of(Axis(k))`, `index_axis(Axis(k), i)` or `axis_iter(Axis(k))`",
        ),
        "slice" | "slice_mut" | "slice_move" | "slice_axis" | "slice_axis_mut" | "split_at" | "windows"
        | "chunks" | "exact_chunks" | "axis_chunks_iter" | "axis_windows" | "lanes" | "multi_slice_mut" => (
            "parts of an array are its rows, columns and planes here",
            "write offsets in the indices, `a[[i + 1, j]]`, or take a row, `a.row(i)`",
        ),
        "map" | "mapv" | "mapv_into" | "map_mut" | "map_axis" | "accumulate_axis_inplace" => (
            "an array that an expression makes is not a value here",
            "write the loop: `for x in a.iter_mut() { *x = … }`, or `y[[i, j]] = …` in a `for`",
        ),
        "assign" | "scaled_add" | "zip_mut_with" | "assign_to" => (
            "operations on whole arrays are not looked into",
            "write the loop over the elements: `for (y, x) in y.iter_mut().zip(x.iter()) { *y = *x; }`",
        ),
        "dot" | "outer" | "cumsum" | "sum_axis" | "mean_axis" | "mean" | "product_axis" | "var" | "std"
        | "kron" => (
            "operations on whole arrays are not looked into",
            "write the loop over the elements: `for i in 0..n { for j in 0..m { y[i] += a[[i, j]] * x[j]; } }`",
        ),
        "t"
        | "reversed_axes"
        | "swap_axes"
        | "permuted_axes"
        | "into_shape_with_order"
        | "to_shape"
        | "broadcast"
        | "insert_axis"
        | "remove_axis"
        | "invert_axis"
        | "into_shape" => (
            "an index here is one of the array as it is passed",
            "exchange the indices, `a[[j, i]]`, or turn the array before the call: any strides are accepted",
        ),
        "as_slice"
        | "to_slice"
        | "as_slice_mut"
        | "as_slice_memory_order"
        | "get"
        | "get_mut"
        | "first"
        | "last"
        | "first_mut"
        | "last_mut" => ("an `Option` is not a value here", "index: `a[[i, j]]`, or iterate: `a.iter()`"),
        "diag" | "diag_mut" => {
            ("its elements are those of the array", "index twice by one variable: `a[[i, i]]`")
        }
        "uget" | "uget_mut" | "uswap" | "as_ptr" | "as_mut_ptr" => {
            ("it is not checked", "index: `a[[i, j]]`; checks that are not needed are removed")
        }
        _ => (
            "neither its meaning nor its derivative is known",
            "write the loop over the elements: `for i in 0..n { for j in 0..m { … a[[i, j]] … } }`",
        ),
    }
}
