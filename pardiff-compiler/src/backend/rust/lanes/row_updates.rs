//! Rows that are added to, or assigned, at the last of the statements that do so; what stands for which is in [`rows`](super::rows).

use super::rows::{Kind, Locals, Set};
use super::{Context, Lanes};
use crate::backend::rust::{Code, code};
use crate::ir::{Expr, Place};
use std::borrow::Cow;

impl Lanes<'_, '_> {
    /// A sum that is made with others, at the last of them.
    pub(super) fn row_sum(&self, target: &Place, value: &Expr, context: &Context) -> Option<Code> {
        self.row_update(target, context, |_| Cow::Borrowed(value))
    }

    /// An assignment that is made with others, at the last of them.
    pub(super) fn row_set(&self, target: &Place, value: &Expr, context: &Context) -> Option<Code> {
        self.row_update(target, context, |_| Set::parts(target, value).value)
    }

    fn row_update<'v>(
        &self,
        target: &Place,
        context: &Context,
        value: impl Fn(&Kind) -> Cow<'v, Expr>,
    ) -> Option<Code> {
        let (at, column) = self.group_of(target, false)?;
        let (Locals { at: offset, start: name, columns, .. }, new) = self.locals_of(at, context.part);
        if new {
            self.ask_for_records(target, context);
        }
        let value = value(&self.rows.borrow()[at].kind);
        let (here, lanes, ty) = (self.here.get(), self.value(&value, context), self.ty(value.ty));
        let groups = self.rows.borrow();
        let group = &groups[at];
        // members are in the order of their columns, statements in that of the source
        let order = |stmt: usize| self.order.borrow().iter().position(|it| *it == stmt);
        let same = |(_, _, it): &&(usize, Place, usize)| *it == column;
        let is_first = group.members.iter().filter(same).all(|(stmt, _, _)| order(*stmt) >= order(here));
        let is_last = group.members.iter().all(|(stmt, _, _)| order(*stmt) <= order(here));
        let local = &columns[column];
        let update = match is_first {
            true => code!(let #local: #ty = #lanes;),
            false => code!(let #local: #ty = #local + (#lanes);),
        };
        if !is_last {
            return Some(update);
        }
        let (runtime, array) = (&self.emitter.runtime, self.emitter.storage(target.buffer).name());
        let position = self.position_of_rows(&self.apart(&group.start).1, context);
        let (mask, sites) = (self.active(context), self.sites_of_rows(group));
        let rows = code!(#name, [#(#columns),*], #mask, #sites);
        let own = self.emitter.own_part(target.buffer);
        let add = code!(#runtime::access::add_rows(#array, #offset, #own, #rows));
        let set = code!(#runtime::access::set_rows(#array, #offset, #rows));
        let all = match &group.kind {
            Kind::Set(None) => set,
            Kind::Set(Some(cond)) => {
                let cond = self.emitter.untyped(cond);
                code!(if #cond { #set } else { #add })
            }
            _ => add,
        };
        Some(code! {
            #update
            let #name: [usize; 8] = #position;
            unsafe { #all };
        })
    }
}
