//! Elements: where they are, reading and writing them.

use super::fault::{Fault, FaultKind};
use super::machine::Machine;
use super::race::Touch;
use super::{Array, Number, Value};
use crate::ir::{BufferId, Expr, Layout, Place, layout};

/// Indices are kept in a fixed array, so that an access allocates nothing.
const MAX_RANK: usize = 8;

/// The number of elements of a layout, `None` if the storage grows; inside, `None` if it is too large.
pub(super) fn size(layout: &Layout, dims: &[usize]) -> Option<Option<usize>> {
    let dims: Vec<Option<usize>> = dims.iter().copied().map(Some).collect();
    layout::size(layout, &dims)
}

impl<N: Number> Machine<'_, N> {
    pub(super) fn array(&self, id: BufferId) -> Result<&Array<N>, Fault> {
        match self.buffers.get(id.0 as usize) {
            Some(Some(array)) => Ok(array),
            _ => {
                let name = self.program.buffers.get(id.0 as usize).map_or("?", |buffer| &buffer.name);
                Err(Fault::unsupported(format!("`{name}` is used outside its scope")))
            }
        }
    }

    /// The value of an element at a position.
    pub(super) fn read(&self, id: BufferId, position: usize) -> Result<Value<N>, Fault> {
        match self.array(id)?.data.get(position) {
            Some(Some(value)) => Ok(*value),
            _ => {
                let name = &self.program[id].name;
                let message = format!("`{name}` is read at position {position}, where it was never written");
                Err(Fault::new(FaultKind::Unspecified, message))
            }
        }
    }

    pub(super) fn load(&self, place: &Place) -> Result<Value<N>, Fault> {
        let mut index = [0; MAX_RANK];
        let position = self.locate(place, &mut index, false)?;
        self.touch(place.buffer, position, Touch::Read)?;
        self.read(place.buffer, position)
    }

    /// Copies an element as the compiler does, which copies whole parts of arrays, to shared memory and to tapes and back: the copy
    /// of what was never written was never written either, and only reading it is a fault.
    pub(super) fn copy(&mut self, target: &Place, from: &Place) -> Result<(), Fault> {
        let to = self.locate_to_write(target)?;
        let at = self.locate(from, &mut [0; MAX_RANK], false)?;
        self.touch(from.buffer, at, Touch::Read)?;
        let copied = self.array(from.buffer)?.data.get(at).copied().flatten();
        self.touch(target.buffer, to, Touch::Write)?;
        match copied {
            Some(value) => self.write(target, to, value),
            None => {
                let element = match self.buffers.get_mut(target.buffer.0 as usize) {
                    Some(Some(array)) => array.data.get_mut(to),
                    _ => None,
                };
                element.into_iter().for_each(|element| *element = None);
                Ok(())
            }
        }
    }

    /// The position of an element that is about to be written; grows the storage where the layout says so.
    pub(super) fn locate_to_write(&mut self, place: &Place) -> Result<usize, Fault> {
        let mut index = [0; MAX_RANK];
        let position = self.locate(place, &mut index, true)?;
        if self.program[place.buffer].layout == Layout::Growing {
            self.grow(place.buffer, index[0].saturating_add(1))?;
        }
        Ok(position)
    }

    /// Makes a buffer reach so many rows.
    pub(super) fn reach(&mut self, rows: &Expr, writes: &[BufferId]) -> Result<(), Fault> {
        let rows = self.index(rows)?;
        match writes {
            &[buffer] if self.program[buffer].layout == Layout::Reserved => self.grow(buffer, rows),
            _ => Err(Fault::unsupported("rows of what does not grow by rows")),
        }
    }

    /// An outermost index grows by whole rows.
    fn grow(&mut self, buffer: BufferId, rows: usize) -> Result<(), Fault> {
        let array = self.array(buffer)?;
        let row = array.dims.iter().skip(1).try_fold(1usize, |size, &dim| size.checked_mul(dim));
        let end = row.and_then(|row| row.checked_mul(rows));
        let more = end.map(|end| end.saturating_sub(array.data.len()));
        let Some(more) = more.filter(|&more| more <= self.room) else {
            return Err(Fault::new(FaultKind::OutOfFuel, "a growing buffer is too large"));
        };
        self.room -= more;
        if let Some(Some(array)) = self.buffers.get_mut(buffer.0 as usize) {
            let len = array.data.len() + more;
            array.data.resize(len, None);
            if let Some(extent) = array.dims.first_mut() {
                *extent = (*extent).max(rows);
            }
        }
        Ok(())
    }

    pub(super) fn write(&mut self, place: &Place, position: usize, value: Value<N>) -> Result<(), Fault> {
        if !value.fits(self.program[place.buffer].elem) {
            return Err(Fault::unsupported("a value of the wrong type is assigned"));
        }
        match self.buffers.get_mut(place.buffer.0 as usize) {
            Some(Some(array)) if position < array.data.len() => {
                array.data[position] = Some(value);
                Ok(())
            }
            _ => Err(Fault::unsupported("a write outside the storage")),
        }
    }

    /// Evaluates the index into `index` and gives the position.
    fn locate(&self, place: &Place, index: &mut [usize; MAX_RANK], write: bool) -> Result<usize, Fault> {
        let array = self.array(place.buffer)?;
        let buffer = &self.program[place.buffer];
        let rank = place.index.len();
        if rank != array.dims.len() || rank > MAX_RANK {
            return Err(Fault::unsupported(format!("an index of rank {rank} into `{}`", buffer.name)));
        }
        for (slot, expr) in index.iter_mut().zip(&place.index) {
            *slot = self.index(expr)?;
        }
        let index = &index[..rank];
        for (k, (&at, &dim)) in index.iter().zip(&array.dims).enumerate() {
            let grows = buffer.layout == Layout::Growing && write && k == 0;
            if at >= dim && !grows {
                return Err(self.out_of_range(place, index, &array.dims));
            }
        }
        let position = match &buffer.layout {
            Layout::RowMajor => {
                Some(index.iter().zip(&array.dims).fold(0, |position, (&at, &dim)| position * dim + at))
            }
            Layout::PackedTriangular if rank >= 2 && index[rank - 1] > index[rank - 2] => {
                return Err(self.out_of_range(place, index, &array.dims));
            }
            layout => {
                let some = |list: &[usize]| list.iter().copied().map(Some).collect::<Vec<_>>();
                layout::position(layout, &some(&array.dims), &some(index))
            }
        };
        position.ok_or_else(|| self.out_of_range(place, index, &array.dims))
    }

    fn out_of_range(&self, place: &Place, index: &[usize], dims: &[usize]) -> Fault {
        let name = &self.program[place.buffer].name;
        Fault::new(FaultKind::OutOfRange, format!("`{name}{index:?}` is outside its extents {dims:?}"))
    }
}
