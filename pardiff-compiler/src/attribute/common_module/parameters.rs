//! The type parameters of the module for all instances.

use crate::frontend::{self, Instance};
use quote::ToTokens;
use std::collections::HashMap;
use syn::{Ident, TypeParamBound};

/// Bounds, each with the type parameter that has it.
type Bounds = Vec<(Ident, Vec<TypeParamBound>)>;

/// The positions and names of the parameters by which instances differ, and the bounds in their names. Those that
/// never differ from each other are one.
pub(super) fn told_apart(instances: &[Instance], bounds: Bounds) -> (Vec<(usize, &Ident)>, Bounds) {
    let all = instances.first().into_iter().flat_map(|first| first.0.iter().map(|(name, _)| name));
    let differs = |at: usize| instances.iter().any(|it| it.0[at].1 != instances[0].0[at].1);
    let mut params: Vec<(usize, &Ident)> = Vec::new();
    let mut renamed: HashMap<String, Ident> = HashMap::new();
    for (at, name) in all.enumerate().filter(|(at, _)| differs(*at)) {
        let is_it = |of: usize| instances.iter().all(|it| it.0[at].1 == it.0[of].1);
        match params.iter().find(|(of, _)| is_it(*of)) {
            Some((_, of)) => drop(renamed.insert(name.to_string(), (*of).clone())),
            None => params.push((at, name)),
        }
    }
    let bounds = bounds.into_iter().map(|(of, bounds)| {
        let of = renamed.get(&of.to_string()).cloned().unwrap_or(of);
        (of, bounds.iter().map(|bound| with_names(bound, &renamed)).collect())
    });
    (params, bounds.collect())
}

/// A bound with other names in it.
pub(super) fn with_names(bound: &TypeParamBound, names: &HashMap<String, Ident>) -> TypeParamBound {
    let names = names.iter().map(|(name, new)| (name.clone(), new.to_token_stream())).collect();
    let renamed = frontend::replaced(bound.to_token_stream(), &names);
    syn::parse2(renamed).unwrap_or_else(|_| bound.clone())
}
