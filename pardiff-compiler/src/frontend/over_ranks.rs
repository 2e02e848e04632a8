//! What a function of several ranks cannot have, although one of a single rank can.

use super::options::Options;
use crate::ir::{self, Callee, Program, StmtKind};
use crate::refusal::Refusal;
use crate::signature::Signature;
use proc_macro2::Span;

/// Refuses options that messages are not made for yet, and a word about ranks where there are none.
pub(crate) fn refuse_options(options: &Options, signature: &Signature) -> Result<(), Vec<Refusal>> {
    let span = signature.name.span();
    let several = signature.params.iter().any(|param| param.kind.is_communicator());
    if !several {
        let refusal = |_| {
            let why = "it says whose result ranks return, and no parameter is a communicator";
            Refusal::new(span, "`result` on a function of one rank", why, "remove it")
        };
        return options.result.map(refusal).map_or(Ok(()), |refusal| Err(vec![refusal]));
    }
    let asked = options.asked;
    let refuse = |span: Span, name: &str, why: &str, help: &str| {
        let what = format!("the option `{name}` on a function with a communicator");
        Refusal::new(span, what, why, format!("remove `{name}`{help}"))
    };
    let mut refusals = Vec::new();
    if asked.check {
        let why = "it moves an argument of one rank, and the others would not know of it";
        let help = ", and with `forward` compare `<J v, w>` and `<v, J^T w>`, each summed over ranks";
        refusals.push(refuse(span, "check", why, help));
    }
    if let Some(cuda) = &options.cuda {
        refusals.push(refuse(cuda.span(), "cuda", "messages are sent by the CPU", ""));
    }
    if signature.failure.is_some() {
        refusals.push(Refusal::new(
            span,
            "a function with a communicator that returns a `Result` or an `Option`",
            "its derivatives run it twice where it has a value, and ranks would have to agree that it has one",
            "return the value alone, and say outside whether it is one",
        ));
    }
    if signature.returns_vectors() {
        refusals.push(Refusal::new(
            span,
            "a function with a communicator that returns a vector",
            "its derivatives run it twice, to know the length, and would send its messages twice",
            "write the vector to a parameter `y: &mut [f64]`",
        ));
    }
    if signature.written.is_some() && !signature.returns_vectors() {
        refusals.push(Refusal::new(
            span,
            "a function with a communicator, and options, or enums with adjoints, as arguments or results",
            "its derivatives hand these on to another function, and a communicator is handed on once",
            "pass the numbers that they hold, and make them in the body",
        ));
    }
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

/// Refuses loops in segments with messages in them whose number of iterations is not known: what they receive is
/// kept, in an array of that length.
pub(crate) fn refuse_segments(primal: &Program) -> Result<(), Vec<Refusal>> {
    let mut refusals = Vec::new();
    ir::walk(&primal.body, &mut |stmt| {
        let marked = stmt.checkpoint().is_some() && stmt.as_while().is_some();
        let is_message =
            |stmt: &ir::Stmt| matches!(stmt.kind, StmtKind::Call { callee: Callee::Communication(_), .. });
        if marked && stmt.any(&mut &is_message) {
            let span = primal.spans.get(stmt.origin.span.0 as usize).copied();
            refusals.push(Refusal::new(
                span.unwrap_or_else(Span::call_site),
                "messages between ranks in a loop with `#[checkpoint]` that ends when it says so",
                "what it receives is kept, so that iterations that run again send nothing, and how often it receives is \
                 known when it has ended",
                "write `for t in 0..steps`, or remove the mark",
            ));
        }
    });
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}
