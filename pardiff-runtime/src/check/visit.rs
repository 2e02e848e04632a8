//! The floats in values of any shape, one after the other.

/// A value that holds floats in a fixed order.
pub trait Numbers {
    /// Hands its floats to the visitor, in order.
    fn visit(&mut self, visitor: &mut Visitor<'_>);
}

/// What is done with the floats of some values.
pub struct Visitor<'a> {
    action: Action<'a>,
    /// The indices on the way to the value that is visited.
    index: Vec<usize>,
    parts: Vec<Part>,
    /// Whether one of the floats is an `f32`.
    is_single: bool,
}

enum Action<'a> {
    /// They are collected.
    Load(Vec<f64>),
    /// They are replaced by these.
    Store(std::slice::Iter<'a, f64>),
    /// They are replaced by zero.
    Clear,
    /// The one with this number is looked for.
    Find { at: usize, index: Option<Vec<usize>> },
}

/// Floats with a name of their own: an argument, or a member of the structs in one.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// `x`, or `nodes[].at` for a member of the elements of `nodes`: each `[]` stands for an index.
    pub(super) name: &'static str,
    /// The number of its first float.
    pub(super) start: usize,
}

impl<'a> Visitor<'a> {
    fn new(action: Action<'a>) -> Visitor<'a> {
        Visitor { action, index: Vec::new(), parts: Vec::new(), is_single: false }
    }

    /// Collects the floats.
    pub fn load() -> Visitor<'static> {
        Visitor::new(Action::Load(Vec::new()))
    }

    /// Replaces the floats by numbers, rounded where they are singles. There are as many of both.
    pub fn store(numbers: &'a [f64]) -> Visitor<'a> {
        Visitor::new(Action::Store(numbers.iter()))
    }

    /// Replaces the floats by zero.
    pub fn clear() -> Visitor<'static> {
        Visitor::new(Action::Clear)
    }

    /// Looks for the float with this number.
    pub(super) fn find(at: usize) -> Visitor<'static> {
        Visitor::new(Action::Find { at, index: None })
    }

    /// The floats that follow have this name.
    pub fn part(&mut self, name: &'static str) {
        if let Action::Load(numbers) = &self.action {
            self.parts.push(Part { name, start: numbers.len() });
        }
    }

    /// Visits each element of an array, in order.
    pub fn each<T>(&mut self, array: &mut [T], mut visit: impl FnMut(&mut T, &mut Self)) {
        for (at, element) in array.iter_mut().enumerate() {
            self.index.push(at);
            visit(element, self);
            self.index.pop();
        }
    }

    /// What was collected.
    pub fn numbers(self) -> Vec<f64> {
        self.collected().0
    }

    /// What was collected, its parts, and whether a single was among it.
    pub(super) fn collected(self) -> (Vec<f64>, Vec<Part>, bool) {
        match self.action {
            Action::Load(numbers) => (numbers, self.parts, self.is_single),
            _ => (Vec::new(), self.parts, self.is_single),
        }
    }

    /// The indices of the float that was looked for.
    pub(super) fn index(self) -> Vec<usize> {
        match self.action {
            Action::Find { index, .. } => index.unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// The value of a float after the visit, if it changes.
    fn number(&mut self, number: f64, is_single: bool) -> Option<f64> {
        match &mut self.action {
            Action::Load(numbers) => {
                numbers.push(number);
                self.is_single |= is_single;
                None
            }
            Action::Store(numbers) => numbers.next().copied(),
            Action::Clear => Some(0.0),
            Action::Find { at, index } => {
                match at {
                    0 if index.is_none() => *index = Some(self.index.clone()),
                    _ => *at = at.wrapping_sub(1),
                }
                None
            }
        }
    }
}

impl Numbers for f64 {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        if let Some(number) = visitor.number(*self, false) {
            *self = number;
        }
    }
}

impl Numbers for f32 {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        if let Some(number) = visitor.number(f64::from(*self), true) {
            *self = number as f32;
        }
    }
}

impl<T: Numbers> Numbers for [T] {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        visitor.each(self, T::visit);
    }
}

impl<T: Numbers, const N: usize> Numbers for [T; N] {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        self[..].visit(visitor);
    }
}

impl<T: Numbers> Numbers for Vec<T> {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        self[..].visit(visitor);
    }
}

impl<T: Numbers> Numbers for Box<[T]> {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        self[..].visit(visitor);
    }
}

/// In logical order, as the axes are.
#[cfg(feature = "ndarray")]
impl<T: Numbers, D: ndarray::Dimension> Numbers for ndarray::Array<T, D> {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        let shape = self.shape().to_vec();
        let depth = visitor.index.len();
        for (number, element) in self.iter_mut().enumerate() {
            let mut rest = number;
            visitor.index.resize(depth + shape.len(), 0);
            for (at, extent) in visitor.index[depth..].iter_mut().zip(&shape).rev() {
                (*at, rest) = (rest % extent, rest / extent);
            }
            element.visit(visitor);
        }
        visitor.index.truncate(depth);
    }
}

/// The name of an element: the indices stand in the brackets of the part's name, or after it.
pub(super) fn element(name: &str, index: &[usize]) -> String {
    let mut index = index.iter();
    let mut text = String::new();
    let mut parts = name.split("[]").peekable();
    while let Some(part) = parts.next() {
        text += part;
        if parts.peek().is_some() {
            let at = index.next().map_or(String::new(), usize::to_string);
            text += &format!("[{at}]");
        }
    }
    index.fold(text, |text, at| text + &format!("[{at}]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Node {
        at: [f32; 2],
        mass: f64,
    }

    fn visit(nodes: &mut [Node], visitor: &mut Visitor<'_>) {
        visitor.part("nodes[].at");
        visitor.each(nodes, |node, visitor| node.at.visit(visitor));
        visitor.part("nodes[].mass");
        visitor.each(nodes, |node, visitor| node.mass.visit(visitor));
    }

    #[test]
    fn floats_are_loaded_stored_and_found_in_one_order() {
        let mut nodes = [Node { at: [1.0, 2.0], mass: 5.0 }, Node { at: [3.0, 4.0], mass: 6.0 }];
        let mut loaded = Visitor::load();
        visit(&mut nodes, &mut loaded);
        let (numbers, parts, is_single) = loaded.collected();
        assert_eq!((&numbers[..], is_single), (&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..], true));
        let parts: Vec<_> = parts.iter().map(|it| (it.name, it.start)).collect();
        assert_eq!(parts, [("nodes[].at", 0), ("nodes[].mass", 4)]);
        for (at, part, expected) in
            [(0, 0, "nodes[0].at[0]"), (3, 0, "nodes[1].at[1]"), (5, 1, "nodes[1].mass")]
        {
            let mut found = Visitor::find(at);
            visit(&mut nodes, &mut found);
            assert_eq!(element(parts[part].0, &found.index()), expected);
        }
        visit(&mut nodes, &mut Visitor::store(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]));
        assert_eq!((nodes[1].at, nodes[0].mass), ([0.3, 0.4], 0.5));
        visit(&mut nodes, &mut Visitor::clear());
        assert_eq!((nodes[1].at, nodes[0].mass), ([0.0, 0.0], 0.0));
    }

    #[cfg(feature = "ndarray")]
    #[test]
    fn arrays_of_ndarray_are_visited_in_logical_order() {
        let mut a = ndarray::arr2(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).reversed_axes();
        let mut loaded = Visitor::load();
        a.visit(&mut loaded);
        assert_eq!(loaded.numbers(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        let mut found = Visitor::find(3);
        a.visit(&mut found);
        assert_eq!(found.index(), [1, 1]);
    }
}
