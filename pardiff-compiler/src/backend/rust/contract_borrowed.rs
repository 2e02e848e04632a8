//! Parameters that borrow in the contract: public functions take them whole, and bodies their parts.
//!
//! ```text
//! struct Grid<'a> { x: &'a [f64], k: &'a [usize] }
//!
//! pub fn grad(grid: &super::Grid<'_>, d_grid_x: &mut [f64]) -> f64 {
//!     let grid_x: &[f64] = &*grid.x;
//!     let grid_k: &[usize] = &*grid.k;
//!     Bodies::accumulate(false, grid_x, d_grid_x, grid_k, 1.0)
//! }
//! ```
//!
//! Where the function itself is called, the value is made of the parts again.

use super::contract::Contract;
use super::{Code, code, user};
use crate::backend::interface::Argument;
use crate::modes::Function;
use crate::signature::Borrowed;

impl Contract<'_> {
    /// What an argument of the function is a part of.
    pub(super) fn whole(&self, argument: &Argument<'_>) -> Option<&Borrowed> {
        let of = self.signature.borrowed_of(argument.param).filter(|_| argument.is_primal());
        of.map(|(of, _)| of)
    }

    /// The argument of a public function of which bodies take the parts.
    pub(super) fn whole_argument(&self, of: &Borrowed) -> Code {
        let (name, ty) = (super::names::ident(&super::names::unraw(&of.name)), user(&self.inside(&of.ty)));
        code!(#name: #ty)
    }

    /// The parts of such arguments as local variables.
    pub(super) fn parts_of_wholes(&self, row: &Function) -> Code {
        let parts = self.interface.of_mode(row.mode).filter(|it| it.is_primal()).filter_map(|argument| {
            let (of, at) = self.signature.borrowed_of(argument.param)?;
            let (name, ty) = (&argument.name, self.type_inside(argument));
            let read = user(&of.parts[at].read);
            Some(code!(let #name: #ty = #read;))
        });
        parts.collect()
    }

    /// Statements that make such arguments of their parts, and the arguments of the function.
    pub(super) fn made_of_parts(&self, arguments: Vec<Code>) -> (Code, Vec<Code>) {
        let (mut made, mut whole) = (Code::new(), Vec::new());
        let mut arguments = arguments.into_iter().zip(&self.signature.params).peekable();
        while let Some((argument, param)) = arguments.next() {
            let Some((of, _)) = self.signature.borrowed_of(param) else {
                whole.push(argument);
                continue;
            };
            let others = arguments.by_ref().take(of.parts.len() - 1).map(|(argument, _)| argument);
            let parts = std::iter::once(argument).chain(others).collect::<Vec<Code>>();
            let names = of.parts.iter().map(|part| user(&part.name));
            made.push(code!(let (#(#names,)*) = (#(#parts,)*);));
            whole.push(user(&of.value));
        }
        (made, whole)
    }
}
