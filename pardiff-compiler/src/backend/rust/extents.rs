//! Extents and sizes of arrays.

use super::emitter::Emitter;
use super::storage::Storage;
use super::{Code, code, literal};
use crate::ir::{BinOp, BufferId, Expr, ExprKind, Layout};

impl Emitter<'_> {
    /// The number of elements of a heap buffer, in checked arithmetic.
    pub(super) fn size(&self, buffer: BufferId) -> Code {
        let it = &self.program[buffer];
        let runtime = &self.runtime;
        let ty = literal::ty(it.elem);
        let (function, name) = (&self.function, literal::string(&self.storage(buffer).name().to_string()));
        if it.rank() == 1 && self.is_plain(&it.dims[0]) && it.layout == Layout::RowMajor {
            return self.typed(&it.dims[0]);
        }
        let formula = match it.layout {
            Layout::PackedTriangular => {
                let n = &it.dims[it.rank() - 2];
                let mut parts: Vec<String> =
                    it.dims[..it.rank() - 2].iter().map(|extent| self.formula(extent, true)).collect();
                parts.push(format!("{n} * ({n} + 1) / 2", n = self.formula(n, true)));
                parts.join(" * ")
            }
            _ => it
                .dims
                .iter()
                .map(|extent| self.formula(extent, it.rank() > 1))
                .collect::<Vec<_>>()
                .join(" * "),
        };
        let formula = literal::string(&formula);
        let mut extents: Vec<Code> = (0..it.rank())
            .map(|dim| match it.rank() {
                1 => self.extent_value(buffer, &it.dims[0]),
                _ => self.typed(&Expr::extent(buffer, dim)),
            })
            .collect();
        if let (Layout::Padded(multiple), Some(last)) = (&it.layout, extents.last_mut()) {
            // what does not fit is too large for the product as well
            let (padding, multiple) =
                (literal::usize(multiple.max(&1) - 1), literal::usize(*multiple.max(&1)));
            let extent = &*last;
            *last = code!(usize::saturating_add(#extent, #padding) / #multiple * #multiple);
        }
        match (&it.layout, &extents[..]) {
            (Layout::PackedTriangular, [outer @ .., n, _]) => {
                code!(#runtime::triangle::<#ty>(#function, #name, #formula, &[#(#outer),*], #n))
            }
            (_, extents) => code!(#runtime::row_major::<#ty>(#function, #name, #formula, &[#(#extents),*])),
        }
    }

    /// The value of an extent; sums, differences and products are checked and panic with their formula.
    pub(super) fn extent_value(&self, buffer: BufferId, extent: &Expr) -> Code {
        if self.is_plain(extent) {
            return self.typed(extent);
        }
        let (function, name) = (&self.function, literal::string(&self.storage(buffer).name().to_string()));
        let formula = literal::string(&self.formula(extent, false));
        let size = self.checked_size(extent);
        code!((#size).get(#function, #name, #formula))
    }

    /// Whether the extent has no arithmetic of its own that could overflow.
    fn is_plain(&self, extent: &Expr) -> bool {
        !matches!(extent.kind, ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..))
    }

    /// The extent in the arithmetic of `runtime::Size`.
    fn checked_size(&self, extent: &Expr) -> Code {
        match &extent.kind {
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), lhs, rhs) => {
                let parts = [lhs, rhs].map(|side| {
                    let tokens = self.checked_size(side);
                    let nested = matches!(op, BinOp::Mul | BinOp::Sub) && !self.is_plain(side);
                    if nested { code!((#tokens)) } else { tokens }
                });
                let [lhs, rhs] = parts;
                match op {
                    BinOp::Add => code!(#lhs + #rhs),
                    BinOp::Sub => code!(#lhs - #rhs),
                    _ => code!(#lhs * #rhs),
                }
            }
            _ => {
                let runtime = &self.runtime;
                let value = self.typed(extent);
                code!(#runtime::Size::new(#value))
            }
        }
    }

    /// The extent of a dimension: code, or the expression that it is declared as.
    pub(super) fn extent(&self, buffer: BufferId, dim: usize) -> Result<Code, &Expr> {
        let it = &self.program[buffer];
        let extent = &it.dims[dim];
        let own = matches!(extent.kind, ExprKind::Extent(of, at) if of == buffer && at == dim);
        match self.storage(buffer) {
            _ if extent.as_usize().is_some() => Err(extent),
            Storage::Heap { extents, name, grows } => match extents.get(dim).and_then(Option::as_ref) {
                Some(local) => Ok(code!(#local)),
                None if it.rank() == 1 && (own || !grows) => Ok(code!(#name.len())),
                None if own => {
                    let inner = (1..it.rank()).map(|dim| self.typed(&Expr::extent(buffer, dim)));
                    let inner = inner.map(|extent| code!(* #extent));
                    Ok(code!((#name.len() / ::core::cmp::Ord::max(1, 1 #(#inner)*))))
                }
                None => Err(extent),
            },
            Storage::Host { .. } if !own => Err(extent),
            Storage::Records { extents, .. } => match extents.get(dim).and_then(Option::as_ref) {
                Some(local) => Ok(code!(#local)),
                None => Err(extent),
            },
            Storage::Flat { name, extents, .. } => match extents.get(dim).and_then(Option::as_ref) {
                Some(local) => Ok(code!(#local)),
                None if it.rank() == 1 => Ok(code!(#name.len())),
                None => Err(extent),
            },
            storage => {
                let (runtime, name) = (&self.runtime, storage.name());
                Ok(match dim {
                    0 => code!(#name.len()),
                    1 => code!(#runtime::inner_len(&#name[..])),
                    _ => code!(#runtime::innermost_len(&#name[..])),
                })
            }
        }
    }
}
