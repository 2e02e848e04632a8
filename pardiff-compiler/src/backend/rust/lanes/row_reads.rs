//! Rows that are read for all lanes at once.

use super::rows::{Group, Locals, address};
use super::{Context, Lanes};
use crate::backend::rust::storage::suffixed_zero;
use crate::backend::rust::{Code, code, literal};
use crate::ir::{Place, Stmt, Ty};

impl Lanes<'_, '_> {
    /// The mask of the active lanes.
    pub(super) fn active(&self, context: &Context) -> Code {
        let ty = self.ty(Ty::Bool);
        context.mask.as_ref().map_or_else(|| code!(#ty::splat(true)), |mask| code!(#mask))
    }

    pub(super) fn sites_of_rows(&self, group: &Group) -> Code {
        self.emitter.sites(group.members.iter().map(|(_, place, column)| (*column, place)))
    }

    /// Reads a row: its position, its elements and, where not all of them are asked for, whether they exist.
    fn read_row(&self, group: &Group, locals: &Locals, context: &Context) -> Code {
        let Locals { at, start: name, inside, columns } = locals;
        let (runtime, mask) = (&self.emitter.runtime, self.active(context));
        let Some((_, place, _)) = group.members.first() else { return code!() };
        let (array, ty) =
            (self.emitter.storage(place.buffer).name(), self.emitter.program[place.buffer].elem);
        let (start, width) = (self.apart(&group.start).1, literal::usize(group.width));
        let position = self.position_of_rows(&start, context);
        let (zero, ty) = (suffixed_zero(ty), self.ty(ty));
        let Some(gate) = &group.gate else {
            self.name_positions(start, name, context);
            let read = match group.is_whole {
                true => {
                    let sites = self.sites_of_rows(group);
                    code! {
                        let #(#columns)*: [#ty; #width] =
                            unsafe { #runtime::access::rows(#array, #at, #name, #mask, #sites) };
                    }
                }
                false => code! {
                    let (#(#columns)*, #inside): ([#ty; #width], bool) =
                        unsafe { #runtime::access::rows_where_there(#array, #at, #name, #mask) };
                },
            };
            return code!(let #name: [usize; 8] = #position; #read);
        };
        let conds = gate.arms.iter().map(|arm| match arm.holds {
            true => self.emitter.untyped(&arm.cond),
            false => self.emitter.negated(&arm.cond),
        });
        let conds = conds.reduce(|a, b| code!((#a) && (#b))).unwrap_or(code!(true));
        code! {
            let (#name, (#(#columns)*, #inside)): ([usize; 8], ([#ty; #width], bool)) = if #conds {
                let #name: [usize; 8] = #position;
                (#name, unsafe { #runtime::access::rows_where_there(#array, #at, #name, #mask) })
            } else {
                ([0_usize; 8], ([#ty::splat(#zero); #width], true))
            };
        }
    }

    /// The rows that are read before a condition.
    pub(super) fn rows_before(&self, stmt: &Stmt, copies: &[Context]) -> Code {
        let here = address(stmt);
        let is_here = |group: &Group| group.gate.as_ref().is_some_and(|gate| gate.stmt == here);
        let found: Vec<usize> = {
            let rows = self.rows.borrow();
            (0..rows.len()).filter(|&at| is_here(&rows[at])).collect()
        };
        let mut tokens = code!();
        for at in found {
            for context in copies {
                let (locals, new) = self.locals_of(at, context.part);
                if new {
                    tokens.push(self.read_row(&self.rows.borrow()[at], &locals, context));
                }
            }
        }
        tokens
    }

    /// An element that is gathered with others.
    pub(super) fn row_element(&self, place: &Place, context: &Context) -> Option<Code> {
        let (group, column) = self.group_of(place, true)?;
        let (runtime, array) = (&self.emitter.runtime, self.emitter.storage(place.buffer).name());
        let (mask, is_whole) = (self.active(context), self.rows.borrow()[group].is_whole);
        let (locals, new) = self.locals_of(group, context.part);
        if new {
            let read = self.read_row(&self.rows.borrow()[group], &locals, context);
            self.prelude.borrow_mut().push(read);
            self.ask_for_records(place, context);
        }
        let Locals { at, start, inside, columns } = locals;
        let (row, column) = (&columns[0], literal::usize(column));
        if is_whole {
            return Some(code!(#row[#column]));
        }
        let site = self.emitter.site(place);
        Some(code! {{
            if !#inside { #runtime::access::check_column(#array, #at, #start, #column, #mask, #site); }
            #row[#column]
        }})
    }
}
