//! The module of a method that nobody asked for and that is refused: whoever calls a function of it gets the reason.
//!
//! ```text
//! pub mod load {
//!     pub trait Differentiated {}                               // with the reason as the message where it is missing
//!     pub fn grad<A, B, R>(_: A, _: B) -> R where for<'a> &'a (): Differentiated { … }
//! }
//! ```
//!
//! No type is `Differentiated`. That the condition names a lifetime of its own lets rustc check it where the function is
//! called, and not where it is declared. All types are open, so that the module compiles whatever the method takes.

use super::contract::{Contract, generated};
use super::contract_attributes::existence;
use super::contract_docs as docs;
use super::{Code, code, literal, user};
use crate::frontend::Asked;
use crate::modes::{self, Adjoints, Function, Mode};
use crate::refusal::Refusal;
use crate::signature::Signature;
use proc_macro2::{Ident, Span, TokenStream};

/// The module, with all functions that are asked for.
pub fn refused(signature: &Signature, asked: Asked, refusal: &Refusal) -> TokenStream {
    let modes = Mode::asked(asked);
    let contract = Contract::new(signature, &modes, asked, true);
    let reason = format!("`{}` has no gradient: {}", signature.shown(), refusal.what);
    let rows =
        modes::functions(&modes).into_iter().filter(|row| asked.check || row.adjoints != Adjoints::Checked);
    let functions = contract.uncallable(rows, &Refusal { what: reason.clone(), ..refusal.clone() });
    let (vis, name, attrs) =
        (user(&signature.vis), generated(&signature.module), existence(&signature.attrs));
    let doc = docs::attribute(&reason);
    let module = code! {
        #attrs
        #doc
        #vis mod #name { #functions }
    };
    module.tokens()
}

impl Contract<'_> {
    /// Functions that nobody can call: whoever does gets the reason.
    pub(super) fn uncallable<'r>(
        &self,
        rows: impl IntoIterator<Item = &'r Function>,
        refusal: &Refusal,
    ) -> Code {
        // the note of rustc about the condition points to what is refused
        let differentiated = Ident::new("Differentiated", Span::mixed_site().located_at(refusal.span));
        let [message, why, help] =
            [&refusal.what, &refusal.why, &refusal.help].map(|text| literal::string(&escaped(text)));
        let functions = rows.into_iter().map(|row| {
            let name = Ident::new(row.name, Span::mixed_site());
            let types = (0..self.parameters(row, &[]).len())
                .map(|at| Ident::new(&format!("A{at}"), Span::mixed_site()));
            let types: Vec<Code> = types.map(|ty| code!(#ty)).collect();
            let arguments = types.iter().map(|ty| code!(_: #ty));
            let (doc, allow) = (docs::attribute(&refusal.what), self.allow_arguments(types.len()));
            code! {
                #doc
                #allow
                pub fn #name<#(#types,)* R>(#(#arguments),*) -> R where for<'a> &'a (): #differentiated {
                    ::core::panic!(#message)
                }
            }
        });
        let functions: Code = functions.collect();
        let of_trait = docs::attribute("Nothing is.");
        code! {
            #of_trait
            #[diagnostic::on_unimplemented(message = #message, label = #why, note = #help)]
            pub trait #differentiated {}
            #functions
        }
    }
}

/// The text for an attribute in which braces stand for parameters.
fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}
