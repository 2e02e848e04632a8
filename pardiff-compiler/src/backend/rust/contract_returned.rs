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
use super::contract_conversions::{Around, owned_type};
use super::contract_failures;
use super::contract_ndarray as nd;
use super::contract_records::{Made, initial};
use super::contract_types::{array_of, batched, lent};
use super::conversions::{Companion, Conversion, levels};
use super::names::{Names, unraw};
use super::{Code, code, literal, user};
use crate::backend::interface::{Argument, SeedArgument};
use crate::ir::Derivative;
use crate::modes::Mode;
use crate::signature::{Product, ResultShape, Returned, vector_element};
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
        let (returned, returns_vectors) = (names.fresh("returned"), self.signature.returns_vectors());
        let values = match mode.runs_primal() && returns_vectors {
            true => self.parts(&returned),
            false => Vec::new(),
        };
        let runs = mode.runs_primal() && (returns_vectors || self.signature.failure.is_some());
        let own_call = runs.then(|| self.own_call(returns_vectors.then_some(&returned)));
        let checks = (mode.takes_seeds(false) && returns_vectors).then(|| self.seeds_as_long(&values));

        let mut around = Around::default();
        let mut written = Vec::<Written<'_>>::new();
        for argument in inner.interface.of_mode(mode) {
            if let Some(own) = self.argument_of(argument, mode) {
                self.convert(own, argument, mode, &mut names, &mut around);
                continue;
            }
            let params = inner.signature.params.iter().filter(|param| self.is_returned(param));
            let Some(member) =
                params.zip(0..).find_map(|(param, at)| std::ptr::eq(param, argument.param).then_some(at))
            else {
                continue;
            };
            let name = names.fresh(&unraw(&argument.name));
            if let Some(product) = &argument.param.product {
                self.returned_product(product, (argument, member), &values, &written, &name, &mut around);
                written.push(Written { name, member, steps: argument.steps });
                continue;
            }
            let value = match (values.get(member), argument.steps) {
                (Some(value), []) => code!(#value),
                (_, [Derivative::Adjoint]) => self.copied_seed(member, argument.batch),
                _ => {
                    let model = written.iter().find(|it| it.member == member && it.steps.is_empty());
                    self.zero(member, argument.batch, model.map(|it| &it.name))
                }
            };
            let bound = code!(let mut #name = #value;);
            around.converted.push(bound);
            around.list.push(code!(&mut #name));
            written.push(Written { name, member, steps: argument.steps });
        }
        let tape = self.tape_parameter(mode, false);
        around.list.extend(tape.iter().map(|(name, _)| code!(#name)));
        if mode.takes_seeds(self.lone_float().is_some()) && !returns_vectors {
            self.converted_seeds(inner, mode, &mut names, &mut around);
        }
        let overwrite = mode.accumulates().then_some(&self.overwrite);
        let (body, arguments) = (Ident::new(mode.body(), Span::mixed_site()), self.const_arguments());
        let body = if arguments.is_empty() { code!(#body) } else { code!(#body::#arguments) };
        let handed = overwrite.map(|overwrite| code!(#overwrite,));

        let (name, (generics, clause)) = (self.called_body(mode), self.generics());
        let (parameters, output) = (self.parameters_beside(mode), self.output(mode, false));
        let (end, Around { converted, list, .. }) = (around.end(), around);
        let call = code!(Self::#body(#handed #(#list),*));
        let (call, value) = match mode.runs_primal() {
            false => (code!(#call;), None),
            true if returns_vectors => (code!(#call;), Some(self.gathered(mode, &written))),
            true => self.value_of_call(inner, mode, call),
        };
        let value = value.map(|value| self.succeeded(value));
        let deprecated = self.allowed_attempt();
        code! {
            #deprecated
            fn #name #generics (#(#parameters),*) #output #clause {
                #own_call
                #checks
                #converted
                #call
                #end
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
        let takes_seeds = mode.takes_seeds(self.lone_float().is_some());
        let seeds = self.interface.seeds.iter().filter(|_| takes_seeds).map(|seed| {
            let (name, ty) =
                (&seed.name, user(&lent(seed.member, &self.of_seed(&seed.member.ty, is_batched))));
            code!(#name: #ty)
        });
        let tape = tape.map(|(name, ty)| code!(#name: #ty));
        overwrite.into_iter().chain(arguments).chain(tape).chain(seeds).collect()
    }

    /// What a variable holds that the function returned, one after the other.
    fn parts(&self, returned: &Ident) -> Vec<Code> {
        (0..self.returned().len()).map(|at| self.returned_at(returned, at)).collect()
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
                return Some(self.as_long(owner, "adjoint", own, ("what is returned".to_owned(), value.clone()), false));
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

    /// What is returned, or a derivative of it, as the body takes it: a product.
    fn returned_product(
        &self,
        product: &Product,
        (argument, member): (&Argument<'_>, usize),
        values: &[Code],
        written: &[Written<'_>],
        name: &Ident,
        around: &mut Around,
    ) {
        let Some(record) = &product.record else { return };
        let (types, ty) = (Conversion::new(self, record), owned_type(argument));
        let around_values = levels(&self.returned()[member].ty, argument.batch.is_some());
        let model = written.iter().find(|it| it.member == member && it.steps.is_empty()).map(|it| &it.name);
        let (seed, function) = (self.seed_of(member).map(|seed| &seed.name), self.signature.shown());
        let (value, checks) = match (values.get(member), argument.steps, model, seed) {
            (Some(value), [], ..) => (types.products(&around_values, value), code!()),
            (_, [Derivative::Adjoint], Some(model), Some(seed)) => {
                let shown = unraw(seed);
                let of =
                    Companion { function: &function, word: "adjoint", name: &shown, of: "what is returned" };
                let checks = types.alike(&around_values, &code!(#model), &code!(#name), &of);
                (types.products(&around_values, &code!(#seed)), checks)
            }
            (.., model, _) => (types.zeros(&around_values, &code!(#model)), code!()),
        };
        around.converted.push(code!(let mut #name: #ty = #value; #checks));
        around.list.push(code!(&mut #name));
    }

    /// What a body wrote, as the function returns it.
    fn written_value(&self, it: &Written<'_>, mode: Mode, all: &[Written<'_>]) -> Code {
        let (name, Returned { ty, record, .. }) = (&it.name, &self.returned()[it.member]);
        let like = all.iter().find(|of| of.member == it.member && of.steps.is_empty()).map(|of| &of.name);
        let is_batched = mode.is_batched(it.steps);
        match (record, like) {
            (Some(record), Some(like)) if record.has_products() => {
                let ty = user(&self.of_seed(ty, is_batched));
                Conversion::new(self, record).values(
                    &levels(&self.returned()[it.member].ty, is_batched),
                    &code!(#like),
                    &code!(#name),
                    &ty,
                )
            }
            _ => code!(#name),
        }
    }

    /// What is returned, with its tangent where the mode has one.
    fn gathered(&self, mode: Mode, written: &[Written<'_>]) -> Code {
        let of = |steps: &[Derivative]| -> Vec<Code> {
            written
                .iter()
                .filter(|it| it.steps == steps)
                .map(|it| self.written_value(it, mode, written))
                .collect()
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
