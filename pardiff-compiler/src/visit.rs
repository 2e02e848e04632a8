//! The visitors of syn, instantiated once each.
//!
//! syn's visitors are generic over the visitor: each implementation is a copy of functions for every kind of syntax, and
//! whoever uses this compiler waits for them. Here they are instantiated for a reference to any visitor of ours.

/// A trait of visitors, one method for each kind of syntax that a visitor of ours stops at, and the functions that go on
/// below one.
macro_rules! visitor {
    ($Trait:ident, $module:ident, [$($upstream:tt)*]: $($method:ident($Node:ty);)*) => {
        /// Visits syntax. A method that does not go on below its node leaves out what is below.
        pub(crate) trait $Trait {
            /// The visitor itself: `self`.
            fn visitor(&mut self) -> &mut dyn $Trait;

            $(
                fn $method(&mut self, node: $Node) {
                    $method(self.visitor(), node);
                }
            )*
        }

        struct Each<'v>(&'v mut dyn $Trait);

        impl $($upstream)* for Each<'_> {
            $(
                fn $method(&mut self, node: $Node) {
                    self.0.$method(node);
                }
            )*
        }

        $(
            /// Goes on below the node.
            pub(crate) fn $method(visitor: &mut dyn $Trait, node: $Node) {
                syn::$module::$method(&mut Each(visitor), node);
            }
        )*
    };
}

visitor! {
    Visit, visit, [syn::visit::Visit<'_>]:
    visit_arm(&syn::Arm);
    visit_block(&syn::Block);
    visit_expr(&syn::Expr);
    visit_expr_let(&syn::ExprLet);
    visit_expr_method_call(&syn::ExprMethodCall);
    visit_ident(&syn::Ident);
    visit_item(&syn::Item);
    visit_item_const(&syn::ItemConst);
    visit_item_fn(&syn::ItemFn);
    visit_item_use(&syn::ItemUse);
    visit_lifetime(&syn::Lifetime);
    visit_local(&syn::Local);
    visit_local_init(&syn::LocalInit);
    visit_macro(&syn::Macro);
    visit_pat(&syn::Pat);
    visit_pat_ident(&syn::PatIdent);
    visit_path(&syn::Path);
    visit_signature(&syn::Signature);
    visit_stmt(&syn::Stmt);
    visit_trait_bound(&syn::TraitBound);
    visit_type(&syn::Type);
    visit_type_param_bound(&syn::TypeParamBound);
}

/// The same for visitors that change what they see.
pub(crate) mod changing {
    visitor! {
        VisitMut, visit_mut, [syn::visit_mut::VisitMut]:
        visit_arm_mut(&mut syn::Arm);
        visit_block_mut(&mut syn::Block);
        visit_expr_call_mut(&mut syn::ExprCall);
        visit_expr_mut(&mut syn::Expr);
        visit_field_value_mut(&mut syn::FieldValue);
        visit_impl_item_const_mut(&mut syn::ImplItemConst);
        visit_impl_item_fn_mut(&mut syn::ImplItemFn);
        visit_item_fn_mut(&mut syn::ItemFn);
        visit_item_mut(&mut syn::Item);
        visit_lifetime_mut(&mut syn::Lifetime);
        visit_macro_mut(&mut syn::Macro);
        visit_pat_mut(&mut syn::Pat);
        visit_path_mut(&mut syn::Path);
        visit_signature_mut(&mut syn::Signature);
        visit_stmt_mut(&mut syn::Stmt);
        visit_trait_bound_mut(&mut syn::TraitBound);
        visit_trait_item_fn_mut(&mut syn::TraitItemFn);
        visit_type_array_mut(&mut syn::TypeArray);
        visit_type_mut(&mut syn::Type);
        visit_type_reference_mut(&mut syn::TypeReference);
    }
}
