//! Names of the module around the function.

use super::super::configured;
use super::super::infer::Type;
use super::super::linked;
use super::super::tree::Expr;
use super::item::{literal, range};
use super::{Name, Resolver};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{Item, Path};

impl Resolver<'_> {
    /// Binds the items of the module in the outermost scope.
    pub(super) fn declare_module(&mut self) {
        let module = self.module;
        for item in module.imports() {
            if !item.attrs.iter().any(|attr| attr.path().is_ident("cfg")) {
                let prefix = Path { leading_colon: item.leading_colon, segments: Default::default() };
                self.import(&item.tree, prefix, item);
            }
        }
        // the generated bodies stand in the module, so that its imports reach them
        self.items.clear();
        // those of units go where the bodies are
        let linked = module.constants().filter(|(name, _)| linked::is_unique(name));
        self.items.extend(linked.map(|(_, item)| Item::clone(item)));
        for (name, item) in module.constants() {
            self.bind(name, Name::Constant(item.clone()));
        }
        for (name, item) in module.functions() {
            self.bind(name, Name::Helper(item.clone(), 1));
        }
    }

    /// What a name stands for in the module itself.
    pub(super) fn of_module(&self, name: &str) -> Option<Name> {
        self.scopes.first()?.names.get(name).cloned()
    }

    /// The value of a constant of the module.
    pub(super) fn module_constant(&mut self, item: &Rc<Item>, span: Span) -> Expr {
        let (attrs, ident, ty, value) = match &**item {
            Item::Const(item) => (&item.attrs, &item.ident, &item.ty, &item.expr),
            Item::Static(item) => {
                if let syn::StaticMutability::Mut(token) = &item.mutability {
                    return self.refuse(
                        token.span(),
                        "a `static mut`",
                        "its value may change between calls",
                        "pass the value as a parameter",
                    );
                }
                (&item.attrs, &item.ident, &item.ty, &item.expr)
            }
            _ => return self.error(span),
        };
        configured::refuse(attrs, &mut self.refusals);
        let Some(ty) = self.seen_from(1, |this| this.type_of(ty)) else { return self.error(span) };
        if let (Type::Scalar(_), Some(kind)) = (&ty, literal(value)) {
            return Expr::new(kind, ty, span);
        }
        if self.is_of_slices(&ty) {
            return self.constant_rows(item, &ty, 1, span);
        }
        if self.has_members(&ty) {
            return self.written_out(value, &ty, 1, span);
        }
        let id = match linked::is_unique(&ident.to_string()) {
            true => self.opaque(ident.to_token_stream(), linked::plain(&ident.to_string()), ty, span),
            false => self.constant_path(ident.to_string(), ident.to_token_stream(), ty, span),
        };
        self.paths[id].range = range(value);
        self.path_value(id, span)
    }

    /// Whether values of the type are tuples or structs, or arrays of these.
    pub(super) fn has_members(&self, ty: &Type) -> bool {
        match self.infer.peel(ty) {
            Type::Array(elem, _) => self.has_members(&elem),
            ty => ty.members().is_some(),
        }
    }

    /// A constant that is a tuple or a struct: its expression, as the outermost `scopes` see it.
    pub(super) fn written_out(&mut self, value: &syn::Expr, ty: &Type, scopes: usize, span: Span) -> Expr {
        let address: *const syn::Expr = value;
        // rustc refuses a constant that needs itself
        if self.written_out.contains(&address) {
            return self.error(span);
        }
        self.written_out.push(address);
        let written = self.seen_from(scopes, |this| this.scoped(true, |this| this.expr(value)));
        self.written_out.pop();
        self.unify(ty, &written.ty, span);
        Expr { ty: ty.clone(), ..written }
    }

    /// A path to a constant of the module. A constant of the body may have the same name.
    pub(super) fn constant_path(
        &mut self,
        name: String,
        tokens: TokenStream,
        ty: Type,
        span: Span,
    ) -> super::PathId {
        let qualified = quote!(self::#tokens);
        let other = self
            .paths
            .iter()
            .any(|path| path.text == name && path.tokens.to_string() != qualified.to_string());
        let text = if other { format!("self::{name}") } else { name };
        self.opaque(qualified, text, ty, span)
    }
}

/// The name in `self::name`.
pub(super) fn own_member(path: &Path) -> Option<&syn::Ident> {
    let segments: Vec<&syn::PathSegment> = path.segments.iter().collect();
    match segments[..] {
        [first, last] if path.leading_colon.is_none() && first.ident == "self" => Some(&last.ident),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_the_module_itself() {
        let name = |text: &str| own_member(&syn::parse_str(text).expect(text)).map(ToString::to_string);
        assert_eq!(name("self::a").as_deref(), Some("a"));
        assert_eq!(name("super::a"), None);
        assert_eq!(name("self::b::a"), None);
        assert_eq!(name("a"), None);
    }
}
