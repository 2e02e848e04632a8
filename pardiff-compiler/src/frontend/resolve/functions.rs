//! Functions of floats by their paths: those of `libm`, of `statrs` and of pardiff's own `math`.

use super::super::display::tidy;
use super::super::infer::{Class, Type};
use super::super::tree::{Access, Expr, Kind, Method};
use super::Resolver;
use crate::ir::{Func, Ty};
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// A call of a function of the table by the path of a crate that has it.
    pub(super) fn known_function(&mut self, path: &syn::Path, e: &syn::ExprCall) -> Option<Expr> {
        let span = e.span();
        let names = self.crate_names(path);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let pair = match names[..] {
            ["libm", "sincos"] => Some(Ty::F64),
            ["libm", "sincosf"] => Some(Ty::F32),
            _ => None,
        };
        let known = Func::from_path(&names);
        let (func, float) = known.or(pair.map(|_| (Func::Sin, None)))?;
        let args: Vec<Expr> = e.args.iter().map(|arg| self.expr(arg)).collect();
        if args.len() != func.arity() {
            return Some(self.error(span));
        }
        let ty = match pair.or(float.map(Ty::Float)) {
            Some(ty) => Type::Scalar(ty),
            None => self.infer.fresh(Class::Float),
        };
        for (k, arg) in args.iter().enumerate() {
            let second = func.row().second.filter(|_| k == 1);
            let wanted = second.map_or_else(|| ty.clone(), Type::Scalar);
            let have = self.infer.peel(&arg.ty);
            self.unify(&wanted, &have, arg.span);
        }
        let access = Access { array: String::new(), text: tidy(e) };
        let (method, ty) = match pair {
            Some(_) => (Method::SinCos, Type::Tuple(vec![ty.clone(), ty])),
            None => (Method::Scalar(func.name()), ty),
        };
        Some(Expr::new(Kind::Method(method, args, access), ty, span))
    }

    /// Whether the path is one of a function of the table.
    pub(super) fn is_known_function(&self, path: &syn::Path) -> bool {
        let names = self.crate_names(path);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Func::from_path(&names).is_some()
    }

    /// Whether functions of the table stand in a module.
    pub(super) fn has_functions(&self, module: &syn::Path) -> bool {
        let names = self.crate_names(module);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        matches!(names[..], ["libm"] | ["pardiff", "math"] | ["statrs", "function", _])
    }

    /// The names of a path, in which pardiff is called by its own name.
    fn crate_names(&self, path: &syn::Path) -> Vec<String> {
        let names = |path: &syn::Path| -> Vec<String> {
            path.segments.iter().map(|segment| segment.ident.to_string()).collect()
        };
        let mut all = names(path);
        if let Some(own) = self.options.krate.as_ref().map(names)
            && all.starts_with(&own)
        {
            all.splice(..own.len(), ["pardiff".to_owned()]);
        }
        all
    }
}

/// What is called in place of a function of C's library.
pub(super) fn of_c(name: &str) -> Option<String> {
    Func::from_path(&["libm", name]).map(|_| format!("libm::{name}"))
}

/// The path of a function that pardiff or another crate has by that name.
pub(super) fn full_path(name: &str) -> Option<String> {
    if Func::from_path(&["pardiff", "math", name]).is_some() {
        return Some(format!("pardiff::math::{name}"));
    }
    let is_of_libm = Func::ALL.iter().any(|func| func.row().libm.contains(&name));
    is_of_libm.then(|| format!("libm::{name}"))
}
