//! Derivatives that are given by hand: the option `custom(…)`.

use super::Refusals;
use proc_macro2::Span;
use quote::ToTokens;
use syn::{Ident, Path};

/// A derivative that is given by hand.
#[derive(Clone)]
pub enum Rule {
    /// `custom(partials = d_f)`, of a function of scalars: the function of the same arguments that returns the
    /// partial derivatives.
    Partials(Ident),
    /// `custom(vjp = f_vjp, jvp = f_jvp)`, of a function over arrays: functions with the contracts of `f::vjp` and
    /// `f::jvp`, one at least.
    Arrays {
        /// Adds the adjoints.
        vjp: Option<Path>,
        /// Computes the tangents.
        jvp: Option<Path>,
    },
}

impl Rule {
    /// The functions that it names.
    pub fn functions(&self) -> Vec<Path> {
        match self {
            Rule::Partials(partials) => vec![partials.clone().into()],
            Rule::Arrays { vjp, jvp } => vjp.iter().chain(jvp).cloned().collect(),
        }
    }

    /// As it is written in the attribute.
    pub fn written(&self) -> String {
        let one = |key: &str, path: &Path| {
            format!("{key} = {}", path.to_token_stream().to_string().replace(' ', ""))
        };
        let parts: Vec<String> = match self {
            Rule::Partials(partials) => vec![format!("partials = {partials}")],
            Rule::Arrays { vjp, jvp } => {
                let vjp = vjp.iter().map(|path| one("vjp", path));
                vjp.chain(jvp.iter().map(|path| one("jvp", path))).collect()
            }
        };
        format!("custom({})", parts.join(", "))
    }

    /// What the first of them is called, for messages about the rule.
    pub fn name(&self) -> Ident {
        let last = |path: &Path| path.segments.last().map(|last| last.ident.clone());
        self.functions().first().and_then(last).unwrap_or_else(|| Ident::new("custom", Span::call_site()))
    }

    /// What was `known` of a rule with one more `key = path`.
    pub(super) fn with(
        known: Option<Rule>,
        key: &Ident,
        path: Path,
        refusals: &mut Refusals,
    ) -> Option<Rule> {
        let is_key = ["partials", "vjp", "jvp"].iter().any(|it| key == it);
        let ident = path.get_ident().cloned();
        match (known, ident) {
            (None, Some(ident)) if key == "partials" => Some(Rule::Partials(ident)),
            (None, _) if key == "vjp" => Some(Rule::Arrays { vjp: Some(path), jvp: None }),
            (None, _) if key == "jvp" => Some(Rule::Arrays { vjp: None, jvp: Some(path) }),
            (Some(Rule::Arrays { vjp: None, jvp }), _) if key == "vjp" => {
                Some(Rule::Arrays { vjp: Some(path), jvp })
            }
            (Some(Rule::Arrays { vjp, jvp: None }), _) if key == "jvp" => {
                Some(Rule::Arrays { vjp, jvp: Some(path) })
            }
            (known, _) => {
                let why = match (&known, is_key) {
                    (Some(_), true) => {
                        "a function has one rule: partial derivatives of scalars, or one `vjp` and one `jvp` over arrays"
                    }
                    _ => {
                        "a rule is a function of the module that returns partial derivatives, or one with the contract of `f::vjp` or `f::jvp`"
                    }
                };
                let help = "write `custom(partials = d_f)`, or of a function over arrays `custom(vjp = f_vjp, jvp = f_jvp)`";
                refusals.push(key.span(), format!("`{key}` of `custom`"), why, help);
                known
            }
        }
    }
}
