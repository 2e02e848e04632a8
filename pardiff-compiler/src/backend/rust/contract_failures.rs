//! Functions that return a `Result` or an `Option`: their derivatives run the function itself first, and return what it returns
//! where it has no value. Adjoints and tapes are as before then, and what is behind a `&mut` is as the function left it.
//!
//! ```text
//! fn accumulate(overwrite: bool, x: &[f64], d_x: &mut [f64], y: &mut [f64], d_y: &mut [f64], seed: f64) -> Result<f64, Error> {
//!     let mut kept = y.to_vec();
//!     match f(x, &mut *y) {
//!         Ok(_) => y.swap_with_slice(&mut kept),
//!         Err(error) => return Err(error),
//!     }
//!     …
//!     Ok({ …the value and the gradient… })
//! }
//! ```

use super::contract::Contract;
use super::contract_attributes::deprecation;
use super::contract_check::{Caller, moved};
use super::contract_types::{names_local_items, relocated};
use super::{Code, code, user};
use crate::modes::Mode;
use crate::ndarray::Form;
use crate::signature::{Failure, Param, ParamKind, Vector};
use proc_macro2::Ident;

/// How refusals name those who call the function.
pub const CALLER: Caller = Caller {
    what: "of a function that returns a `Result` or an `Option`",
    who: "its derivatives first call the function",
    help: "return the value alone",
    copies: |param| param.kind.is_output() || param.vector.is_some() || moved(param).is_some(),
};

impl Contract<'_> {
    /// `-> R` or `-> Result<R, E>`.
    pub(super) fn returning(&self, value: Option<Code>, may_fail: bool, inside: bool) -> Code {
        let failure = self.signature.failure.as_ref().filter(|_| may_fail);
        match (failure, value) {
            (None, None) => code!(),
            (None, Some(ty)) => code!(-> #ty),
            (Some(failure), ty) => {
                let ty = ty.unwrap_or_else(|| code!(()));
                match failure {
                    Failure::Absent => code!(-> ::core::option::Option<#ty>),
                    Failure::Error(error) => {
                        let error = if inside { code!(beside::__Failure) } else { user(error) };
                        code!(-> ::core::result::Result<#ty, #error>)
                    }
                }
            }
        }
    }

    /// What a function returns that has this value.
    pub(super) fn succeeded(&self, value: Code) -> Code {
        match self.signature.failure {
            None => value,
            Some(Failure::Absent) => code!(::core::option::Option::Some(#value)),
            Some(Failure::Error(_)) => code!(::core::result::Result::Ok(#value)),
        }
    }

    /// The value of a call in a function that fails as the call does.
    pub(super) fn opened(&self, call: Code) -> Code {
        match self.signature.failure {
            None => call,
            Some(_) => code!(#call?),
        }
    }

    /// The value of a call in a check; where there is none, the closure around it returns `None`.
    pub(super) fn required(&self, call: Code) -> Code {
        match self.signature.failure {
            None => call,
            Some(Failure::Absent) => code!(#call?),
            Some(Failure::Error(_)) => code!(#call.ok()?),
        }
    }

    /// A module in which the type of the error is looked up as beside the function, whatever names stand in the module around. Its
    /// own name for it is none that a type of the user has.
    pub(super) fn error_module(&self) -> Code {
        let Some(Failure::Error(error)) = &self.signature.failure else { return code!() };
        let names = names_local_items(error, &[]).then(|| {
            code!(
                use super::super::*;
            )
        });
        let error = user(&relocated(&relocated(error)));
        let doc = super::contract_docs::attribute(&format!("What `{}` fails with.", self.signature.shown()));
        code!(mod beside { #names #doc pub type __Failure = #error; })
    }

    /// What a body needs in front of it to run the function.
    pub(super) fn allowed_attempt(&self) -> Option<Code> {
        let is_deprecated = !deprecation(&self.signature.attrs).is_empty();
        let runs = self.signature.failure.is_some() || self.signature.returns_vectors();
        (runs && is_deprecated).then(|| code!(#[allow(deprecated)]))
    }

    /// Runs the function itself in front of a body, and returns where it has no value.
    pub(super) fn attempt(&self, mode: Mode) -> Code {
        match self.signature.failure.is_some() && mode.runs_primal() {
            true => self.own_call(None),
            false => code!(),
        }
    }

    /// Runs the function itself, and returns where it has no value. What is behind a `&mut` is put back; the value
    /// is kept in a variable, if there is one for it.
    pub(super) fn own_call(&self, variable: Option<&Ident>) -> Code {
        let (mut kept, mut restored, mut left) = (Code::new(), Code::new(), Code::new());
        let arguments = self.interface.of_mode(Mode::Value).zip(&self.signature.params).zip(&self.kept);
        let arguments: Vec<Code> = arguments
            .map(|((argument, param), local)| {
                let name = &argument.name;
                if !param.kind.is_output() {
                    return self.given_to_function(param, name);
                }
                let (copy, ty) = (self.copy(param, name), self.owned_beside(param));
                kept.push(code!(let mut #local: #ty = #copy;));
                // a slice is no vector: the function writes to the copy
                if param.vector.is_some() {
                    left.push(exchange(param, name, local));
                    return code!(&mut #local);
                }
                restored.push(exchange(param, name, local));
                match param.kind {
                    ParamKind::NdArray { form: Form::ViewMut, reference: false, .. } => {
                        code!(#name.view_mut())
                    }
                    _ => code!(&mut *#name),
                }
            })
            .collect();
        let call = self.call_of_callee(arguments);
        let own = &self.value;
        let (bound, value, pattern) = match variable {
            Some(variable) => (code!(let #variable =), code!(#own), code!(#own)),
            None => (code!(), code!(), code!(_)),
        };
        let end = variable.map(|_| code!(;));
        let attempt = match &self.signature.failure {
            None => code!(#bound #call; #restored),
            Some(Failure::Absent) => code! {
                #bound match #call {
                    ::core::option::Option::Some(#pattern) => { #restored #value }
                    ::core::option::Option::None => {
                        #left
                        return ::core::option::Option::None;
                    }
                } #end
            },
            Some(Failure::Error(_)) => code! {
                #bound match #call {
                    ::core::result::Result::Ok(#pattern) => { #restored #value }
                    ::core::result::Result::Err(error) => {
                        #left
                        return ::core::result::Result::Err(error);
                    }
                } #end
            },
        };
        code!(#kept #attempt)
    }

    /// An input as the function takes it, which the caller keeps.
    fn given_to_function(&self, param: &Param, name: &Ident) -> Code {
        if param.vector.is_none() && moved(param).is_none() {
            return code!(#name);
        }
        let (copy, ty) = (self.copy(param, name), self.owned_beside(param));
        let copy = code!({ let copy: #ty = #copy; copy });
        match param.vector {
            None | Some(Vector { boxed: false, moved: true }) => copy,
            Some(Vector { boxed: false, moved: false }) => code!(&#copy),
            Some(Vector { boxed: true, moved: true }) => code!(#copy.into()),
            Some(Vector { boxed: true, moved: false }) => code!(&#copy.into()),
        }
    }
}

/// An output and a copy of it get what the other one holds; of an array that may be a view, the copy need not.
fn exchange(param: &Param, name: &Ident, kept: &Ident) -> Code {
    match param.kind {
        ParamKind::NdArray { .. } => code!(#name.assign(&#kept);),
        ParamKind::Slice { .. } | ParamKind::Rows { .. } => code!(#name.swap_with_slice(&mut #kept);),
        _ => code!(::core::mem::swap(#name, &mut #kept);),
    }
}
