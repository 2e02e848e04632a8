//! Arguments of macros that are expressions: `vec![2.0 * x; n]`, `assert!(x < limit, "too large")`.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Macro, Token};

/// Changes each argument of a macro whose arguments are all expressions; others stay as they are.
pub(crate) fn change_each(mac: &mut Macro, change: &mut dyn FnMut(&mut Expr)) {
    let changed = |input: ParseStream| {
        let mut changed = TokenStream::new();
        while !input.is_empty() {
            let mut e: Expr = input.parse()?;
            change(&mut e);
            e.to_tokens(&mut changed);
            if input.peek(Token![,]) || input.peek(Token![;]) {
                changed.extend([input.parse::<TokenTree>()?]);
            }
        }
        Ok(changed)
    };
    if let Ok(changed) = changed.parse2(mac.tokens.clone()) {
        mac.tokens = changed;
    }
}
