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
    /// `custom(vjp = f_vjp, jvp = f_jvp)`, of a function over arrays.
    Arrays(OfArrays),
}

/// Functions with the contracts of `f::vjp`, `f::jvp` and `f_vjp::jvp`, one at least.
#[derive(Clone, Default)]
pub struct OfArrays {
    /// Adds the adjoints.
    pub vjp: Option<Path>,
    /// Computes the tangents.
    pub jvp: Option<Path>,
    /// Computes the tangents of what `vjp` adds.
    pub vjp_jvp: Option<Path>,
}

impl OfArrays {
    /// By their names in the attribute.
    fn named(&self) -> [(&'static str, &Option<Path>); 3] {
        [("vjp", &self.vjp), ("jvp", &self.jvp), ("vjp_jvp", &self.vjp_jvp)]
    }

    fn named_mut(&mut self, key: &Ident) -> Option<&mut Option<Path>> {
        match key.to_string().as_str() {
            "vjp" => Some(&mut self.vjp),
            "jvp" => Some(&mut self.jvp),
            "vjp_jvp" => Some(&mut self.vjp_jvp),
            _ => None,
        }
    }

    /// Refuses the tangent of a rule without the rule.
    pub(super) fn refuse_alone(&self, span: Span, refusals: &mut Refusals) {
        if let (Some(tangent), None) = (&self.vjp_jvp, &self.vjp) {
            let tangent = tangent.to_token_stream().to_string().replace(' ', "");
            refusals.push(
                span,
                "`vjp_jvp` of `custom` without `vjp`",
                "it is the tangent of what `vjp` adds",
                format!("write `custom(vjp = f_vjp, jvp = f_jvp, vjp_jvp = {tangent})`"),
            );
        }
    }
}

impl Rule {
    /// The functions that it names.
    pub fn functions(&self) -> Vec<Path> {
        match self {
            Rule::Partials(partials) => vec![partials.clone().into()],
            Rule::Arrays(of) => of.named().into_iter().filter_map(|(_, path)| path.clone()).collect(),
        }
    }

    /// As it is written in the attribute.
    pub fn written(&self) -> String {
        let one = |key: &str, path: &Path| {
            format!("{key} = {}", path.to_token_stream().to_string().replace(' ', ""))
        };
        let parts: Vec<String> = match self {
            Rule::Partials(partials) => vec![format!("partials = {partials}")],
            Rule::Arrays(of) => {
                let written = |(key, path): (&str, &Option<Path>)| path.as_ref().map(|path| one(key, path));
                of.named().into_iter().filter_map(written).collect()
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
        let ident = path.get_ident().cloned();
        let mut of = match &known {
            Some(Rule::Arrays(of)) => of.clone(),
            _ => OfArrays::default(),
        };
        let is_of_arrays = !matches!(known, Some(Rule::Partials(_)));
        let place = of.named_mut(key);
        let is_key = key == "partials" || place.is_some();
        match (known, ident, place.filter(|place| is_of_arrays && place.is_none())) {
            (None, Some(ident), _) if key == "partials" => Some(Rule::Partials(ident)),
            (_, _, Some(place)) => {
                *place = Some(path);
                Some(Rule::Arrays(of))
            }
            (known, _, _) => {
                let why = match (&known, is_key) {
                    (Some(_), true) => {
                        "a function has one rule: partial derivatives of scalars, or one `vjp`, one `jvp` and one `vjp_jvp` over arrays"
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
