//! Slices as arrays of a length that the type says: `let p: [f64; 3] = x[a..a + 3].try_into().unwrap();`

use super::super::infer::Type;
use super::super::tree::{Access, Expr, Kind, Method};
use super::{Resolver, bare};
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// `x.try_into().unwrap()` and `<[f64; 3]>::try_from(x).unwrap()` of a slice; `None` if it is neither.
    pub(super) fn as_array(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        if !matches!(name, "unwrap" | "expect") {
            return None;
        }
        let (source, target) = match bare(&e.receiver) {
            syn::Expr::MethodCall(call) if call.method == "try_into" && call.args.is_empty() => {
                (&*call.receiver, None)
            }
            syn::Expr::Call(call) if call.args.len() == 1 => (&call.args[0], Some(target(&call.func)?)),
            _ => return None,
        };
        let span = e.span();
        let array = self.expr(source);
        if self.nd_rank(&array.ty) > 0 {
            return None;
        }
        let Type::Array(elem, _) = self.infer.peel(&array.ty) else { return None };
        let (open, len) = self.open_length(span);
        let ty = Type::array(*elem, open);
        if let Some(target) = target {
            let target = self.type_of(target)?;
            self.unify(&target, &ty, span);
        }
        let access = Access::of(source, e);
        Some(Expr::new(Kind::Method(Method::ToArray, vec![array, len], access), ty, span))
    }
}

/// The `T` of `<T>::try_from`.
fn target(func: &syn::Expr) -> Option<&syn::Type> {
    match bare(func) {
        syn::Expr::Path(path) if path.path.segments.len() == 1 => {
            let name = &path.path.segments.first()?.ident;
            path.qself.as_ref().filter(|_| name == "try_from").map(|target| &*target.ty)
        }
        _ => None,
    }
}
