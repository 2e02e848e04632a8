//! Functions that return vectors: a program writes what is returned through references, of the lengths that the
//! function's own call found.
//!
//! ```text
//! fn f(x: &[f64]) -> (Vec<f64>, f64) { if x.is_empty() { return (vec![], 0.0); } let y = …; (y, s) }
//!
//! fn f(x: &[f64], result_0: &mut [f64], result_1: &mut f64) {
//!     if x.is_empty() { return { let (given_0, given_1): (Vec<f64>, f64) = (vec![], 0.0); …as below… }; }
//!     let y = …;
//!     { let (given_0, given_1): (Vec<f64>, f64) = (y, s); result_0.copy_from_slice(&given_0); *result_1 = given_1; }
//! }
//! ```
//!
//! Of a struct that owns vectors, these are copied each, and what is beside them is assigned.
//!
//! Of a function that may fail, `Some(y)` is `Some({ …y… })` and any other value `Some({ …value?… })`; what has no
//! value, and what never ends, stays. Legal because a caller sees the value alone, which is copied where the
//! function ends.

use super::hygiene;
use super::returns::{each_exit, is_call_of};
use crate::signature::{Part, ResultShape, Returned, Signature, vector_element};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, FnArg, Ident, ItemFn, ReturnType};

/// The function that writes what it returns through references, its last parameters.
pub(super) fn written(mut item: ItemFn, signature: &Signature) -> ItemFn {
    let members: Vec<Returned> = signature.result.members().to_vec();
    let is_tuple = matches!(signature.result, ResultShape::Tuple(_));
    let (tokens, span) = (item.to_token_stream(), item.sig.output.span());
    let numbered = |word: &str, at: usize| {
        let name = if is_tuple { format!("{word}_{at}") } else { word.to_owned() };
        hygiene::fresh_at(&name, span, tokens.clone())
    };
    let names = |word: &str| (0..members.len()).map(|at| numbered(word, at)).collect::<Vec<Ident>>();
    let exits = Exits {
        results: names("result"),
        given: names("given"),
        members,
        is_tuple,
        may_fail: signature.failure.is_some(),
    };
    each_exit(&mut item.block, &mut |e| exits.exit(e));
    item.sig.inputs.extend(exits.parameters());
    item.sig.output = match &signature.failure {
        None => ReturnType::Default,
        Some(_) => syn::parse_quote_spanned!(span=> -> Option<()>),
    };
    item
}

/// What becomes of the expressions whose value the function returns.
struct Exits {
    results: Vec<Ident>,
    given: Vec<Ident>,
    members: Vec<Returned>,
    is_tuple: bool,
    may_fail: bool,
}

impl Exits {
    fn parameters(&self) -> impl Iterator<Item = FnArg> {
        self.results.iter().zip(&self.members).map(|(name, Returned { ty, .. })| {
            let behind = match vector_element(ty) {
                Some(elem) => quote_spanned!(ty.span()=> [#elem]),
                None => ty.to_token_stream(),
            };
            syn::parse_quote_spanned!(ty.span()=> #name: &mut #behind)
        })
    }

    fn exit(&self, e: &mut Expr) {
        match e {
            e if !self.may_fail => *e = self.copied(e),
            Expr::Path(path) if path.path.is_ident("None") => {}
            Expr::Call(call) if call.args.len() == 1 && is_call_of(call, "Err") => {}
            Expr::Call(call) if call.args.len() == 1 && is_call_of(call, "Some") => {
                call.args[0] = self.copied(&call.args[0]);
            }
            e => {
                let span = e.span();
                let copied = self.copied(&syn::parse_quote_spanned!(span=> #e?));
                *e = syn::parse_quote_spanned!(span=> Some(#copied));
            }
        }
    }

    /// Writes a value through the references.
    fn copied(&self, value: &Expr) -> Expr {
        let (span, Exits { results, given, members, .. }) = (value.span(), self);
        let written = results.iter().zip(given).zip(members).map(|((result, given), member)| {
            match (vector_element(&member.ty), member.owner()) {
                (Some(_), _) => quote_spanned!(span=> #result.copy_from_slice(&#given);),
                (None, Some(owner)) => {
                    owner.parts().iter().map(|part| part_copied(part, result, given)).collect()
                }
                (None, None) => quote_spanned!(span=> *#result = #given;),
            }
        });
        let members = members.iter().map(|member| &member.ty).collect::<Vec<_>>();
        let (pattern, ty) = match self.is_tuple {
            true => (quote_spanned!(span=> (#(#given),*)), quote_spanned!(span=> (#(#members),*))),
            false => (quote_spanned!(span=> #(#given)*), quote_spanned!(span=> #(#members)*)),
        };
        syn::parse_quote_spanned!(span=> { let #pattern: #ty = #value; #(#written)* })
    }
}

/// A part of a struct that owns vectors, as it is written through a reference to the struct.
fn part_copied(Part { way, field, .. }: &Part<'_>, result: &Ident, given: &Ident) -> TokenStream {
    let span = given.span();
    match field.content.is_vector() {
        true => quote_spanned!(span=> #result #(.#way)*.copy_from_slice(&#given #(.#way)*);),
        false => quote_spanned!(span=> #result #(.#way)* = #given #(.#way)*;),
    }
}

#[cfg(test)]
mod tests {
    use crate::frontend::{Options, signature};

    fn shown(text: &str) -> String {
        let item: syn::ItemFn = syn::parse_str(text).expect(text);
        let (of, refusals) = signature(&Options::default(), &item);
        assert!(refusals.is_empty(), "{refusals:?}");
        tokens(super::written(item, &of))
    }

    fn tokens(item: impl quote::ToTokens) -> String {
        item.to_token_stream().to_string()
    }

    fn parsed(text: &str) -> String {
        tokens(syn::parse_str::<syn::ItemFn>(text).expect(text))
    }

    #[test]
    fn each_end_of_a_function_writes_what_it_returns() {
        let given =
            |value: &str| format!("{{ let given: Vec<f64> = {value}; result.copy_from_slice(&given); }}");
        let [empty, then, els] = ["vec![]", "x.to_vec()", "y"].map(given);
        assert_eq!(
            shown(
                "fn f(x: &[f64], k: usize) -> Vec<f64> {
                    if k == 0 { return vec![]; }
                    let g = |v: f64| { return v; };
                    match k { 1 => x.to_vec(), 2 => panic!(), _ => { let y = vec![g(x[0])]; y } }
                }"
            ),
            parsed(&format!(
                "fn f(x: &[f64], k: usize, result: &mut [f64]) {{
                    if k == 0 {{ return {empty}; }}
                    let g = |v: f64| {{ return v; }};
                    match k {{ 1 => {then}, 2 => panic!(), _ => {{ let y = vec![g(x[0])]; {els} }} }}
                }}"
            ))
        );
    }

    #[test]
    fn what_has_no_value_stays() {
        let given = |value: &str| {
            format!(
                "{{ let (given_0, given_1): (Vec<f64>, f64) = {value};
                   result_0_.copy_from_slice(&given_0); *result_1 = given_1; }}"
            )
        };
        let [some, other] = ["(result_0, 1.0)", "g(x)?"].map(given);
        assert_eq!(
            shown(
                "fn f(x: &[f64]) -> Option<(Vec<f64>, f64)> {
                    let result_0 = x.to_vec();
                    if x.is_empty() { return None; }
                    if x[0] > 1.0 { g(x) } else { Some((result_0, 1.0)) }
                }"
            ),
            parsed(&format!(
                "fn f(x: &[f64], result_0_: &mut [f64], result_1: &mut f64) -> Option<()> {{
                    let result_0 = x.to_vec();
                    if x.is_empty() {{ return None; }}
                    if x[0] > 1.0 {{ Some({other}) }} else {{ Some({some}) }}
                }}"
            ))
        );
    }
}
