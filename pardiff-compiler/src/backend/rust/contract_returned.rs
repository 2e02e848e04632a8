//! Functions that return vectors: bodies write what is returned through references, and so know its length. Around
//! each of them stands a function that runs the function itself first, whose value is then what the body writes to.
//!
//! ```text
//! fn accumulate_returning(overwrite: bool, x: &[f64], d_x: &mut [f64], seed: &[f64]) -> Vec<f64> {
//!     let returned = f(x);
//!     if seed.len() != returned.len() { …panic… }
//!     let mut result = returned;
//!     let mut d_result = seed.to_vec();
//!     Self::accumulate(overwrite, x, d_x, &mut result, &mut d_result);
//!     result
//! }
//! ```

use super::contract::Contract;
use super::contract_check::Caller;
use super::contract_failures;
use super::contract_ndarray as nd;
use super::contract_records::{Made, initial};
use super::contract_types::{array_of, batched, lent};
use super::names::{Names, unraw};
use super::{Code, code, literal, user};
use crate::backend::interface::SeedArgument;
use crate::ir::Derivative;
use crate::modes::Mode;
use crate::signature::{ResultShape, Returned, vector_element};
use proc_macro2::{Ident, Span};

/// How refusals name those who call the function.
pub const CALLER: Caller = Caller {
    what: "of a function that returns a vector",
    who: "its derivatives first call the function",
    help: "write the vector to a parameter `y: &mut [f64]`",
    copies: contract_failures::CALLER.copies,
};

/// A local variable that a body writes to: what is returned, or a derivative of it.
struct Written<'a> {
    name: Ident,
    /// Which of what is returned.
    member: usize,
    steps: &'a [Derivative],
}

impl Contract<'_> {
    /// The function around a body, which is of the contract `inner`.
    pub(super) fn returning_body(&self, inner: &Contract<'_>, mode: Mode) -> Code {
        let mut names = Names::default();
        self.all_names().for_each(|name| names.take(name));
        let returned = names.fresh("returned");
        let values = match mode.runs_primal() {
            true => self.parts(&returned),
            false => Vec::new(),
        };
        let own_call = mode.runs_primal().then(|| self.own_call(Some(&returned)));
        let checks = mode.takes_seeds(false).then(|| self.seeds_as_long(&values));

        let (mut written, mut bound, mut list) = (Vec::<Written<'_>>::new(), Code::new(), Vec::new());
        let mut own = self.interface.of_mode(mode);
        for argument in inner.interface.of_mode(mode) {
            let mut params = inner.signature.params.iter().skip(self.signature.params.len());
            let Some(member) = params.position(|param| std::ptr::eq(param, argument.param)) else {
                list.extend(own.next().map(|it| self.handed_on(it)));
                continue;
            };
            let name = names.fresh(&unraw(&argument.name));
            let value = match (values.get(member), argument.steps) {
                (Some(value), []) => code!(#value),
                (_, [Derivative::Adjoint]) => self.copied_seed(member, argument.batch),
                _ => {
                    let model = written.iter().find(|it| it.member == member && it.steps.is_empty());
                    self.zero(member, argument.batch, model.map(|it| &it.name))
                }
            };
            bound.push(code!(let mut #name = #value;));
            list.push(code!(&mut #name));
            written.push(Written { name, member, steps: argument.steps });
        }
        let tape = self.tape_parameter(mode, false);
        list.extend(tape.iter().map(|(name, _)| code!(#name)));
        let overwrite = mode.accumulates().then_some(&self.overwrite);
        let (body, arguments) = (Ident::new(mode.body(), Span::mixed_site()), self.const_arguments());
        let body = if arguments.is_empty() { code!(#body) } else { code!(#body::#arguments) };
        let handed = overwrite.map(|overwrite| code!(#overwrite,));

        let (name, (generics, clause)) = (self.called_body(mode), self.generics());
        let (parameters, output) = (self.parameters_beside(mode), self.output(mode, false));
        let value = mode.runs_primal().then(|| self.succeeded(self.gathered(mode, &written)));
        let deprecated = self.allowed_attempt();
        code! {
            #deprecated
            fn #name #generics (#(#parameters),*) #output #clause {
                #own_call
                #checks
                #bound
                Self::#body(#handed #(#list),*);
                #value
            }
        }
    }

    /// The parameters of the function around a body.
    fn parameters_beside(&self, mode: Mode) -> Vec<Code> {
        let overwrite = mode.accumulates().then_some(&self.overwrite);
        let overwrite = overwrite.map(|name| code!(#name: bool));
        let arguments = self.interface.of_mode(mode).map(|argument| {
            let (name, ty, binding) = (&argument.name, self.type_beside(argument), nd::binding(argument));
            code!(#binding #name: #ty)
        });
        let tape = self.tape_parameter(mode, false);
        let is_batched = mode.is_batched(&[Derivative::Adjoint]);
        let seeds = self.interface.seeds.iter().filter(|_| mode.takes_seeds(false)).map(|seed| {
            let (name, ty) =
                (&seed.name, user(&lent(seed.member, &self.of_seed(&seed.member.ty, is_batched))));
            code!(#name: #ty)
        });
        let tape = tape.map(|(name, ty)| code!(#name: #ty));
        overwrite.into_iter().chain(arguments).chain(tape).chain(seeds).collect()
    }

    /// What a variable holds that the function returned, one after the other.
    fn parts(&self, returned: &Ident) -> Vec<Code> {
        let numbered = (0..self.returned().len()).map(|at| match self.signature.result {
            ResultShape::Tuple(_) => {
                let at = syn::Index::from(at);
                code!(#returned.#at)
            }
            ResultShape::One(_) | ResultShape::Unit => code!(#returned),
        });
        numbered.collect()
    }

    /// The seed of something that is returned, if floats are in it.
    fn seed_of(&self, member: usize) -> Option<&SeedArgument<'_>> {
        let member = &self.returned()[member];
        self.interface.seeds.iter().find(|seed| std::ptr::eq(seed.member, member))
    }

    /// The checks that the adjoints of vectors are as long as these.
    fn seeds_as_long(&self, values: &[Code]) -> Code {
        let (runtime, function) = (&self.runtime, literal::string(&self.signature.shown()));
        let checks = values.iter().enumerate().filter_map(|(at, value)| {
            let seed = self.seed_of(at).filter(|seed| seed.member.is_long())?;
            let (name, shown) = (&seed.name, literal::string(&unraw(&seed.name)));
            if let Some(owner) = seed.member.owner() {
                let own = (unraw(name), code!(#name));
                return Some(self.as_long(owner, "adjoint", own, ("what is returned".to_owned(), value.clone())));
            }
            Some(code! {
                if #name.len() != #value.len() {
                    #runtime::wrong_shape(#function, "adjoint", #shown, #name.len(), "what is returned", #value.len())
                }
            })
        });
        checks.collect()
    }

    /// A copy of the adjoint of something that is returned.
    fn copied_seed(&self, member: usize, batch: Option<usize>) -> Code {
        let Some(SeedArgument { member, name }) = self.seed_of(member) else { return code!() };
        match (vector_element(&member.ty), &member.record) {
            (None, _) => match member.owner() {
                Some(owner) => {
                    let made = Made { runtime: &self.runtime, path: None, keeps_floats: true };
                    made.value(&member.ty, owner, code!(#name))
                }
                None => code!(#name),
            },
            (Some(_), None) => code!(#name.to_vec()),
            (Some(elem), Some(record)) => {
                let elem = batch.map_or_else(|| elem.clone(), |width| array_of(elem, width));
                let each = Ident::new("each", Span::mixed_site());
                let made = Made { runtime: &self.runtime, path: None, keeps_floats: true };
                let value = made.value(&elem, record, code!(#each));
                code!(#name.iter().map(|#each| #value).collect::<::std::vec::Vec<_>>())
            }
        }
    }

    /// A derivative of something that is returned before it is computed; a vector is as long as the model.
    fn zero(&self, member: usize, batch: Option<usize>, model: Option<&Ident>) -> Code {
        let (Returned { ty, record, .. }, runtime) = (&self.returned()[member], &self.runtime);
        if let (Some(owner), Some(model)) = (self.returned()[member].owner(), model) {
            return Made { runtime, path: None, keeps_floats: false }.value(ty, owner, code!(#model));
        }
        let of = match (vector_element(ty), batch) {
            (Some(elem), Some(width)) => array_of(elem, width),
            (None, Some(width)) => batched(ty, width),
            (elem, None) => elem.unwrap_or(ty).clone(),
        };
        let zero = initial(&of, record.as_deref(), runtime);
        match (vector_element(ty), model) {
            (Some(_), Some(model)) => {
                let ty = user(&batch.map_or_else(|| ty.clone(), |width| batched(ty, width)));
                code!((0..#model.len()).map(|_| #zero).collect::<#ty>())
            }
            _ => {
                let ty = user(&of);
                code!({ let zero: #ty = #zero; zero })
            }
        }
    }

    /// What is returned, with its tangent where the mode has one.
    fn gathered(&self, mode: Mode, written: &[Written<'_>]) -> Code {
        let of = |steps: &[Derivative]| -> Vec<&Ident> {
            written.iter().filter(|it| it.steps == steps).map(|it| &it.name).collect()
        };
        let values = of(&[]);
        let value = match self.signature.result {
            ResultShape::Tuple(_) => code!((#(#values,)*)),
            ResultShape::One(_) | ResultShape::Unit => code!(#(#values)*),
        };
        match &of(&[Derivative::Tangent])[..] {
            _ if !mode.returns_tangent() => value,
            [] => value,
            [one] => code!((#value, #one)),
            several => code!((#value, (#(#several),*))),
        }
    }
}
