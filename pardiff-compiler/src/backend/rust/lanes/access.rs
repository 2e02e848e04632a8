//! Loads and stores of lanes, by how the position depends on the lane.
//!
//! - the same for all lanes: one scalar, before the loop where nothing in the loop can change it;
//! - consecutive: a vector; equally spaced: lane by lane. Where every iteration makes the access, and what the position
//!   depends on beside the lane does not change in the loop, one check of the whole range stands before the loop:
//!   iterations `0..count` touch exactly that range, so the check fails only if one of them would;
//! - anything else, and what stands under a condition or in an inner loop that may not run: checked where it stands.

use super::index::Stride;
use super::{Context, Lanes};
use crate::backend::rust::storage::{Storage, suffixed_zero};
use crate::backend::rust::{Code, code};
use crate::ir::{Expr, ExprKind, Place, Ty};
use proc_macro2::Ident;

/// Elements whose range is checked before the loop.
pub(super) struct Run {
    pub(super) place: Place,
    pub(super) name: Ident,
    /// Whether they are equally spaced and not consecutive.
    is_strided: bool,
}

/// How lanes reach their elements.
pub(super) enum Reach {
    /// Consecutive, checked before the loop.
    Run(Ident),
    /// Equally spaced, checked before the loop.
    Strided(Ident),
    /// Consecutive from this position on, of the first lane.
    Consecutive(Code),
    /// At these positions, an array.
    Gather(Code),
}

impl Lanes<'_, '_> {
    /// How the lanes reach an element that varies.
    pub(super) fn reach(&self, place: &Place, context: &Context) -> Reach {
        if context.always
            && let Some(known) = self.runs.borrow().iter().find(|known| known.place == *place)
        {
            let name = known.name.clone();
            return if known.is_strided { Reach::Strided(name) } else { Reach::Run(name) };
        }
        let position = self.position(place);
        let split = self.split(&position);
        let hoisted = context.always && self.is_invariant(&position, true);
        match split {
            Some((Stride::One, rest)) if hoisted => Reach::Run(self.run(place, &rest, None)),
            Some((Stride::By(stride), rest)) if hoisted => {
                self.ask_for_records(place, context);
                Reach::Strided(self.run(place, &rest, Some(&stride)))
            }
            Some((Stride::One, rest)) => {
                let iter = self.lane_iter(context.part);
                Reach::Consecutive(if rest.is("0_usize") {
                    code!(#iter)
                } else {
                    code!(usize::wrapping_add(#rest, #iter))
                })
            }
            _ => Reach::Gather(self.array(&self.emitter.position(place), context)),
        }
    }

    /// The position of the first iteration.
    pub(super) fn first_of(&self, rest: &Code, stride: Option<&Code>) -> Code {
        let (first, own) = (&self.first, rest.is("0_usize"));
        match stride {
            _ if self.it.lo.as_usize() == Some(0) => rest.clone(),
            None if own => code!(#first),
            None => code!(usize::wrapping_add(#rest, #first)),
            Some(stride) if own => code!(usize::wrapping_mul(#first, #stride)),
            Some(stride) => code!(usize::wrapping_add(#rest, usize::wrapping_mul(#first, #stride))),
        }
    }

    /// Checks the range of an access before the loop.
    fn run(&self, place: &Place, rest: &Code, stride: Option<&Code>) -> Ident {
        let (runtime, array) = (&self.emitter.runtime, self.emitter.storage(place.buffer).name());
        let count = &self.count;
        // the last vector of a row with room for it is read whole; all are, where the loop runs over
        let count = if self.has_room(place) && !self.runs_over {
            code!((usize::saturating_add(#count, 7) / 8 * 8))
        } else {
            code!(#count)
        };
        let suffix = if stride.is_some() { "strided" } else { "run" };
        let name = self.emitter.fresh(&format!("{array}_{suffix}"));
        let site = self.emitter.site(place);
        let start = self.first_of(rest, stride);
        let disjoint = matches!(self.emitter.storage(place.buffer), Storage::Flat { disjoint: true, .. });
        let stream = match (stride, disjoint) {
            (None, false) => code!(run(#array, #start, #count, #site)),
            (None, true) => code!(run_mut(#array, #start, #count, #site)),
            (Some(stride), false) => code!(strided(#array, #start, #stride, #count, #site)),
            (Some(stride), true) => code!(strided_mut(#array, #start, #stride, #count, #site)),
        };
        self.before.borrow_mut().push(code!(let #name = #runtime::access::#stream;));
        let (place_of_run, is_strided) = (place.clone(), stride.is_some());
        self.runs.borrow_mut().push(Run { place: place_of_run, name: name.clone(), is_strided });
        if !is_strided {
            self.ask_for_run(place, &name);
        }
        name
    }

    /// Whether the loop reads an element to which it assigns: a state, which the next loop reads as soon as this one has written
    /// it, under a mask, so that it would wait for several stores at once (an LSTM's gradient: 0.65 ms with this exception, 0.68
    /// without).
    fn is_held(&self, place: &Place) -> bool {
        let (mut assigned, mut read) = (false, false);
        for stmt in &self.it.body {
            stmt.walk(&mut |stmt| {
                assigned |= stmt.as_assign().is_some_and(|(target, _)| target == place);
                for expr in stmt.exprs() {
                    expr.walk(&mut |part| read |= matches!(&part.kind, ExprKind::Load(at) if at == place));
                }
            });
        }
        assigned && read
    }

    /// The elements as lanes; bools as an array.
    pub(super) fn load(&self, place: &Place, ty: Ty, context: &Context) -> Code {
        if let Some(members) = self.load_members(place, ty, context) {
            return members;
        }
        if let Some(element) = self.row_element(place, context) {
            return element;
        }
        let (runtime, at) = (&self.emitter.runtime, self.at(context.part));
        let array = self.emitter.storage(place.buffer).name();
        let pack = if ty == Ty::Bool { code!([bool; 8]) } else { self.ty(ty) };
        let vector = ty.is_float();
        match (self.reach(place, context), &context.mask) {
            (Reach::Run(run), None) if vector => code!(unsafe { #run.load::<#pack>(#at) }),
            (Reach::Run(run), Some(_)) if vector && context.always && self.has_room(place) => {
                code!(unsafe { #run.load::<#pack>(#at) })
            }
            (Reach::Run(run), Some(mask)) if vector => {
                code!(unsafe { #run.load_masked::<#pack>(#at, #mask) })
            }
            (Reach::Strided(run), None) if vector => code!(unsafe { #run.gather::<#pack>(#at) }),
            (Reach::Strided(run), Some(mask)) if vector => {
                code!(unsafe { #run.gather_masked::<#pack>(#at, #mask) })
            }
            (Reach::Run(run), None) if !self.has_floats => code!(unsafe { #run.whole(#at) }),
            (Reach::Run(run) | Reach::Strided(run), None) => code!(unsafe { #run.array(#at) }),
            (Reach::Run(run) | Reach::Strided(run), Some(mask)) => {
                let zero = suffixed_zero(ty);
                code!(unsafe { #run.array_masked(#at, #mask, #zero) })
            }
            (Reach::Consecutive(base), None) => {
                let site = self.emitter.site(place);
                code!(unsafe { #runtime::access::load::<_, #pack>(#array, #base, #site) })
            }
            (Reach::Consecutive(base), Some(mask)) if vector && self.is_whole_row(place) => {
                let (site, room) = (self.emitter.site(place), self.room(place));
                code!(unsafe {
                    #runtime::access::load_masked_in::<_, #pack>(#array, #base, #mask, #room, #site)
                })
            }
            (Reach::Consecutive(base), Some(mask)) if vector => {
                let site = self.emitter.site(place);
                code!(unsafe { #runtime::access::load_masked::<_, #pack>(#array, #base, #mask, #site) })
            }
            (Reach::Gather(index), None) => {
                let site = self.emitter.site(place);
                code!(unsafe { #runtime::access::gather::<_, #pack>(#array, #index, #site) })
            }
            (reach, Some(mask)) => {
                let (site, index) = (self.emitter.site(place), self.positions(reach));
                code!(unsafe { #runtime::access::gather_masked::<_, #pack, _>(#array, #index, #mask, #site) })
            }
        }
    }

    /// The positions of what is checked where it stands.
    fn positions(&self, reach: Reach) -> Code {
        let runtime = &self.emitter.runtime;
        match reach {
            Reach::Consecutive(base) => code!(#runtime::simd::iota(#base)),
            Reach::Gather(index) => index,
            Reach::Run(_) | Reach::Strided(_) => code!(),
        }
    }

    /// Writes lanes to elements that vary.
    pub(super) fn store(&self, place: &Place, value: &Expr, context: &Context) -> Code {
        if let Some(update) = self.update_members(place, value, context, |_, value| value.clone()) {
            return update;
        }
        let reach = self.reach(place, context);
        if value.ty.is_float() && matches!(reach, Reach::Run(_) | Reach::Consecutive(_)) {
            let value = self.value(value, context);
            return self.store_vector(place, &reach, &value, context);
        }
        let runtime = &self.emitter.runtime;
        let replaced = code!(#runtime::access::replaced);
        self.each(place, reach, value, context, &replaced)
    }

    /// Whether the element is the iterator's of an array of one row with room for whole vectors.
    fn is_whole_row(&self, place: &Place) -> bool {
        place.index.len() == 1 && self.has_room(place)
    }

    /// Whether a row that is accessed under conditions holds all iterations, asked before the loop: the vectors that are
    /// touched are those of elements `0 .. count` then.
    fn room(&self, place: &Place) -> Ident {
        let array = self.emitter.storage(place.buffer).name();
        let known = self
            .rooms
            .borrow()
            .iter()
            .find(|(known, _)| *known == place.buffer)
            .map(|(_, name)| name.clone());
        known.unwrap_or_else(|| {
            let (runtime, count) = (&self.emitter.runtime, &self.count);
            let name = self.emitter.fresh(&format!("{array}_room"));
            self.before
                .borrow_mut()
                .push(code!(let #name: bool = #runtime::access::has_room(#array, #count);));
            self.rooms.borrow_mut().push((place.buffer, name.clone()));
            name
        })
    }

    /// Writes a vector to consecutive elements.
    pub(super) fn store_vector(&self, place: &Place, reach: &Reach, value: &Code, context: &Context) -> Code {
        let (runtime, at) = (&self.emitter.runtime, self.at(context.part));
        let array = self.emitter.storage(place.buffer).name();
        let site = self.emitter.site(place);
        match (reach, &context.mask) {
            (Reach::Run(run), None) => code!(unsafe { #run.store(#at, #value) };),
            (Reach::Run(run), Some(mask)) if *mask == self.name("tail") && !self.is_held(place) => {
                let rest = self.name("rest");
                code!(unsafe { #run.store_first(#at, #value, #rest) };)
            }
            (Reach::Run(run), Some(mask)) => code!(unsafe { #run.store_masked(#at, #value, #mask) };),
            (Reach::Consecutive(base), None) => {
                code!(unsafe { #runtime::access::store(#array, #base, #value, #site) };)
            }
            (Reach::Consecutive(base), Some(mask)) if self.is_whole_row(place) => {
                let room = self.room(place);
                code!(unsafe {
                    #runtime::access::store_masked_in(#array, #base, #value, #mask, #room, #site)
                };)
            }
            (Reach::Consecutive(base), Some(mask)) => {
                code!(unsafe { #runtime::access::store_masked(#array, #base, #value, #mask, #site) };)
            }
            _ => code!(),
        }
    }

    /// Updates elements lane after lane; `update` names the function that makes the new value from the element and the
    /// lane's value.
    pub(super) fn each(
        &self,
        place: &Place,
        reach: Reach,
        value: &Expr,
        context: &Context,
        update: &Code,
    ) -> Code {
        let (runtime, at) = (&self.emitter.runtime, self.at(context.part));
        let array = self.emitter.storage(place.buffer).name();
        let (values, lanes) = (self.emitter.fresh("values"), self.array(value, context));
        let mask = self.active(context);
        let call = match reach {
            Reach::Run(run) | Reach::Strided(run) => {
                code!(#runtime::access::each_of(#run, #at, #mask, #values, #update))
            }
            reach => {
                let (index, site) = (self.positions(reach), self.emitter.site(place));
                code!(#runtime::access::each(#array, #index, #mask, #site, #values, #update))
            }
        };
        code!({ let #values = #lanes; unsafe { #call }; })
    }

    /// An element of a local array of the body, which is an array of lanes (or of scalars, where it is uniform).
    pub(super) fn local_element(&self, place: &Place, context: &Context) -> Code {
        let name = self.local(place.buffer, context.part);
        if place.index.is_empty() {
            return code!(#name);
        }
        let position = self.emitter.typed(&self.emitter.position(place));
        code!(#name[#position])
    }

    /// Whether the buffer is a local of the body with a value for each lane.
    pub(super) fn is_lanes(&self, place: &Place) -> bool {
        self.varying.contains(place.buffer)
    }

    /// Whether the buffer has room for lanes: it is declared by the body and of constant size.
    pub(super) fn is_local(&self, place: &Place) -> bool {
        self.own.contains(place.buffer)
            && matches!(self.emitter.storage(place.buffer), Storage::Scalar { .. } | Storage::Stack { .. })
    }
}
