//! A Jacobian by rows: a batch of unit seeds after the other. They are fewer where a function returns fewer numbers
//! than its inputs hold.

use super::contract::{Contract, generated};
use super::contract_jacobian::{Locals, depth, together};
use super::contract_types::{batched, referent};
use super::{Code, code, user};
use crate::modes::{FUNCTIONS, Function, Mode, Seed};

impl Contract<'_> {
    /// `jacobian` and `Jacobian` where the function has no tangents, if there is one.
    pub(super) fn row_jacobian(&self, row: &Function) -> Option<Code> {
        self.batch.filter(|_| self.has_columns(row))?;
        let (column, zero) = self.column()?;
        let fields = self.columns_of(row, &column, &zero);
        Some(self.filling(row, "Jacobian", fields, self.rows().1))
    }

    /// How many rows there are, and the loop over them.
    pub(super) fn rows(&self) -> (Code, Code) {
        let batches = |row: &&Function| row.mode == Mode::Gradients && row.seed == Seed::Given;
        let (Some(row), Some(width)) = (FUNCTIONS.iter().find(batches), self.batch) else {
            return (code!(usize::MAX), Code::new());
        };
        let (runtime, seed) = (&self.runtime, &self.interface.seed);
        let Locals { first, member, all, .. } = &self.locals;
        // the seeds, and which number of each member of the result a row is of
        let (mut numbers, mut seeds, mut places) = (code!(0_usize), Vec::new(), Vec::new());
        for it in &self.interface.seeds {
            let ty = self.inside(&it.member.ty);
            let made = if depth(&ty) == 0 { code!(directions) } else { code!(directions_of_array) };
            seeds.push(code!(#runtime::directions::#made(#first, #numbers)));
            places.push(code!((#first + #member).wrapping_sub(#numbers)));
            let shape = user(&ty);
            numbers = code!(#numbers + <#shape as #runtime::directions::Floats>::LEN);
        }
        // into a column, which is `whole` where one member is returned, and which has several otherwise
        let stored = |whole: &Code, column: &Code, own: &Code| -> Code {
            let member = |(at, place): (usize, &Code)| {
                let index = syn::Index::from(at);
                let column = if places.len() == 1 { whole.clone() } else { code!(#column.#index) };
                code!(#runtime::directions::store(&mut #column, #place, #own);)
            };
            places.iter().enumerate().map(member).collect()
        };
        let (mut locals, mut arguments, mut parts) = (Code::new(), Vec::new(), Code::new());
        for it in self.interface.of_mode(row.mode) {
            if it.is_primal() {
                arguments.push(self.given_again(it, self.handed_on(it)));
                continue;
            }
            let (name, field, written) = (&it.name, generated(&it.param.name), self.inside(&it.param.ty));
            let ty = referent(&written);
            let local = user(&batched(ty, width));
            locals.push(code!(let mut #name: #local = #runtime::Zero::ZERO;));
            arguments.push(code!(&mut #name));
            let own = self.member_of(&code!(#name), ty, member);
            parts.push(match depth(ty) {
                0 => stored(&code!(#all.#field), &code!(#all.#field), &own),
                depth => {
                    let flat: Code = (1..depth).map(|_| code!(.flatten())).collect();
                    let stored = stored(&code!(*column), &code!(column), &code!(own));
                    code! {
                        for (column, own) in #all.#field.iter_mut() #flat .zip(#own.into_iter() #flat) {
                            #stored
                        }
                    }
                }
            });
        }
        let (value, call) = (&self.value, self.opened(self.call(row, arguments)));
        let seeds = together(&seeds);
        let call = code!(#locals let #seed = #seeds; let #value = #call;);
        let loops = self.over_numbers(&numbers, width, call, parts);
        (code!((#numbers)), loops)
    }
}
