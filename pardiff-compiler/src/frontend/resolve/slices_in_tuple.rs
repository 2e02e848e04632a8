//! A `match` of a tuple with slices in it: the members are matched one after the other, arm by arm.
//!
//! ```text
//! match (x, k) { ([a, ..], 0) if *a > 0.0 => e, (_, k) => f }
//!
//! let (of_0, of_1) = (x, k);
//! 'match_of_members: { if let [a, ..] = of_0 { if let 0 = of_1 { if *a > 0.0 { break 'match_of_members e } } }  let k = of_1; f }
//! ```

use super::super::hygiene::fresh_at;
use super::super::infer::Type;
use super::super::tree::{Expr, Len};
use super::slice_pattern::of_slice;
use super::{Name, Resolver, bare};
use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Ident, Pat, parse_quote_spanned};

impl Resolver<'_> {
    /// Such a `match`; `None` if it is another one.
    pub(super) fn match_slices_in_tuple(&mut self, e: &syn::ExprMatch, span: Span) -> Option<Expr> {
        let syn::Expr::Tuple(of) = bare(&e.expr) else { return None };
        let mut arms: Vec<(Vec<Pat>, Option<&syn::Expr>, &syn::Expr)> = Vec::new();
        for arm in &e.arms {
            let (pat, guard) = match &arm.pat {
                Pat::Guard(pat) => (&*pat.pat, Some(&*pat.guard)),
                pat => (pat, None),
            };
            let cases = alternatives(pat, of.elems.len())?.into_iter();
            arms.extend(cases.map(|pats| (pats, guard, &*arm.body)));
        }
        let is_sliced =
            |at: usize| arms.iter().any(|(pats, ..)| pats.get(at).is_some_and(|pat| of_slice(pat).is_some()));
        if !(0..of.elems.len()).any(is_sliced) {
            return None;
        }
        let mut stmts = Vec::new();
        let members: Vec<Expr> = of.elems.iter().map(|member| self.expr(member)).collect();
        let members: Vec<Expr> =
            members.into_iter().map(|member| self.named("of", member, &mut stmts)).collect();
        let is_open = |at: usize| match self.infer.peel(&members[at].ty) {
            Type::Array(_, len) => !matches!(len, Len::Known(_)),
            _ => false,
        };
        if !(0..members.len()).any(|at| is_sliced(at) && is_open(at)) {
            return Some(self.matched(Expr::tuple(members, span), &e.arms, span).behind(stmts, span));
        }
        let names: Vec<Ident> =
            (0..members.len()).map(|at| fresh_at(&format!("of_{at}"), span, e.to_token_stream())).collect();
        let label = syn::Lifetime::new("'match_of_members", span);
        let mut tests: Vec<syn::Stmt> = Vec::new();
        let count = arms.len();
        for (at, (pats, guard, body)) in arms.into_iter().enumerate() {
            let is_last = at + 1 == count;
            let always = is_last && guard.is_none() && pats.iter().all(is_irrefutable);
            let mut inner: syn::Expr = match always {
                true => body.clone(),
                false => parse_quote_spanned!(body.span()=> break #label #body),
            };
            if let Some(guard) = guard {
                inner = parse_quote_spanned!(span=> if #guard { #inner });
            }
            for (pat, name) in pats.iter().zip(&names).rev() {
                inner = match pat {
                    Pat::Wild(_) => inner,
                    pat if is_irrefutable(pat) => parse_quote_spanned!(span=> { let #pat = #name; #inner }),
                    pat => parse_quote_spanned!(span=> if let #pat = #name { #inner }),
                };
            }
            tests.push(syn::Stmt::Expr(inner, (!always).then(|| syn::Token![;](span))));
            if is_last && !always {
                // rustc has made sure that some arm is taken
                tests.push(syn::Stmt::Expr(parse_quote_spanned!(span=> unreachable!()), None));
            }
        }
        let whole: syn::Expr = parse_quote_spanned!(span=> #label: { #(#tests)* });
        let found = self.scoped(false, |this| {
            for (name, member) in names.iter().zip(&members) {
                if let super::Kind::Local(local) = member.kind {
                    this.bind(&name.to_string(), Name::Local(local));
                }
            }
            this.expr(&whole)
        });
        Some(found.behind(stmts, span))
    }
}

/// The patterns of the members for each alternative of a pattern of so many; `None` if it binds the tuple itself.
fn alternatives(pat: &Pat, count: usize) -> Option<Vec<Vec<Pat>>> {
    match pat {
        Pat::Paren(pat) => alternatives(&pat.pat, count),
        Pat::Or(or) => {
            let cases: Option<Vec<_>> = or.cases.iter().map(|case| alternatives(case, count)).collect();
            Some(cases?.concat())
        }
        Pat::Tuple(tuple) if tuple.elems.len() == count => {
            let mut all = vec![Vec::new()];
            for member in &tuple.elems {
                let cases: Vec<&Pat> = match member {
                    Pat::Or(or) if or.cases.iter().any(|case| of_slice(case).is_some()) => {
                        or.cases.iter().collect()
                    }
                    member => vec![member],
                };
                let with = |front: &Vec<Pat>, case: &Pat| [&front[..], std::slice::from_ref(case)].concat();
                all = all.iter().flat_map(|front| cases.iter().map(move |case| with(front, case))).collect();
            }
            Some(all)
        }
        Pat::Wild(_) => Some(vec![vec![pat.clone(); count]]),
        _ => None,
    }
}

/// Whether a pattern is a name or `_`.
fn is_irrefutable(pat: &Pat) -> bool {
    match pat {
        Pat::Wild(_) => true,
        Pat::Ident(pat) => pat.subpat.is_none() && !pat.ident.to_string().starts_with(char::is_uppercase),
        _ => false,
    }
}
