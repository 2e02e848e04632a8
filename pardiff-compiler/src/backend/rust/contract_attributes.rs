//! Attributes of the function that generated items have as well.
//!
//! Whether the module and the bodies exist follows the function. Deprecation goes to the public functions alone: on the
//! module, its own parts would be uses of something deprecated.

use super::{Code, code, user};
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

/// `cfg`, also where `cfg_attr` adds it.
pub(crate) fn existence(attrs: &[Attribute]) -> Code {
    named(attrs, "cfg")
}

/// `deprecated`, also where `cfg_attr` adds it.
pub(super) fn deprecation(attrs: &[Attribute]) -> Code {
    named(attrs, "deprecated")
}

fn named(attrs: &[Attribute], name: &str) -> Code {
    let mut tokens = Code::new();
    for attr in attrs {
        if attr.path().is_ident(name) {
            tokens.push(user(attr));
        } else if attr.path().is_ident("cfg_attr")
            && let Ok(parts) = attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
        {
            let mut parts = parts.into_iter();
            let Some(condition) = parts.next() else { continue };
            let wanted: Vec<Meta> = parts.filter(|meta| meta.path().is_ident(name)).collect();
            if !wanted.is_empty() {
                let inner = user(&quote::quote!(#condition, #(#wanted),*));
                tokens.push(code!(#[cfg_attr(#inner)]));
            }
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_go_where_they_belong() {
        let item: syn::ItemFn = syn::parse_quote! {
            #[cfg(unix)]
            #[cfg_attr(test, inline, cfg(unix), deprecated = "old")]
            #[deprecated(note = "older")]
            #[inline]
            fn f() {}
        };
        assert_eq!(existence(&item.attrs).to_string(), "# [cfg (unix)] # [cfg_attr (test , cfg (unix))]");
        assert_eq!(
            deprecation(&item.attrs).to_string(),
            "# [cfg_attr (test , deprecated = \"old\")] # [deprecated (note = \"older\")]"
        );
    }
}
