//! Members of structs as lanes: read and written lane after lane, as they do not lie side by side.
//!
//! The index of each struct is checked where it is used, and the member is reached by its name, so that no layout of the
//! struct is assumed. What is left to the task loop is that no other chunk touches a member that is written.

use super::{Context, Lanes};
use crate::backend::rust::storage::{Fields, Storage};
use crate::backend::rust::{Code, code};
use crate::ir::{Expr, Place, Ty};
use proc_macro2::Ident;
use std::rc::Rc;

/// A member of the structs of an array, at the lane of a loop over lanes.
struct Member {
    /// What is evaluated before the lanes.
    before: Code,
    /// The place of the member, in `unsafe` if it is behind a pointer.
    place: Code,
    is_pointer: bool,
    fields: Rc<Fields>,
}

impl Lanes<'_, '_> {
    /// Whether the buffer is a member of structs.
    pub(super) fn is_record(&self, place: &Place) -> bool {
        matches!(self.emitter.storage(place.buffer), Storage::Records { .. })
    }

    /// The members as lanes; bools as an array.
    pub(super) fn load_members(&self, place: &Place, ty: Ty, context: &Context) -> Option<Code> {
        let lane = self.name("lane");
        let Member { before, place, is_pointer, fields } = self.member(place, &lane, context)?;
        let runtime = &self.emitter.runtime;
        let pack = if ty == Ty::Bool { code!([bool; 8]) } else { self.ty(ty) };
        let value = if is_pointer { code!(unsafe { #place }) } else { place };
        let value = fields.number(value);
        Some(match &context.mask {
            None => code!({ #before #runtime::access::members::<_, #pack>(|#lane| #value) }),
            Some(mask) => {
                code!({ #before #runtime::access::members_masked::<_, #pack, _>(#mask, |#lane| #value) })
            }
        })
    }

    /// Updates members lane after lane; `update` makes the new value from the old one and the lane's value.
    pub(super) fn update_members(
        &self,
        target: &Place,
        value: &Expr,
        context: &Context,
        update: impl Fn(&Code, &Code) -> Code,
    ) -> Option<Code> {
        let lane = self.name("lane");
        let Member { before, place, .. } = self.member(target, &lane, context)?;
        let [values, element] = ["values", "element"].map(|word| self.name(word));
        let lanes = self.array(value, context);
        let new = update(&code!((*#element)), &code!(#values[#lane]));
        let active = context.mask.as_ref().map_or_else(|| code!(true), |mask| code!(#mask.get(#lane)));
        Some(code! {{
            let #values = #lanes;
            #before
            for #lane in 0..8_usize {
                if #active {
                    let #element = unsafe { &mut #place };
                    *#element = #new;
                }
            }
        }})
    }

    fn member(&self, place: &Place, lane: &Ident, context: &Context) -> Option<Member> {
        let Storage::Records { name, fields, disjoint, .. } = self.emitter.storage(place.buffer) else {
            return None;
        };
        let fields = Rc::clone(fields);
        let mut before = Code::new();
        let mut index = Vec::new();
        for expr in &place.index {
            let local = self.emitter.fresh("at");
            if self.varies_expr(expr) {
                let positions = self.array(expr, context);
                before.push(code!(let #local: [usize; 8] = #positions;));
                index.push(code!(#local[#lane]));
            } else {
                let position = self.emitter.typed(expr);
                before.push(code!(let #local: usize = #position;));
                index.push(code!(#local));
            }
        }
        let (first, members) = (&index[0], fields.behind(1, &index));
        let (runtime, site) = (&self.emitter.runtime, self.emitter.site(place));
        let place = match disjoint {
            true => code!((*#runtime::access::record(#name, #first, #site)) #members),
            false => code!(#name[#first] #members),
        };
        Some(Member { before, place, is_pointer: *disjoint, fields })
    }
}
