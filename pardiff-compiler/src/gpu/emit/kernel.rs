//! The text of a kernel while it grows, and the words that it takes.

use crate::ir::{BufferId, IterId, OpaqueId, Program, Ty};
use std::collections::HashMap;

/// What the host gives to a kernel: 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Word {
    /// The record of failed checks.
    Failed,
    /// An array in the memory of the device.
    Array(BufferId),
    /// The scalars in the memory of the device that are kept as this type.
    Cells(Ty),
    /// A scalar of the host.
    Scalar(BufferId),
    /// A user path.
    Path(OpaqueId),
    /// The iterator of a loop that the host runs.
    Iter(IterId),
    /// The length of a dimension that the caller decides.
    Extent(BufferId, usize),
    /// First value, number of iterations and step of a loop whose iterations are threads.
    First(IterId),
    Count(IterId),
    Step(IterId),
    /// The number of iterations of the kernel.
    Iterations,
    /// What threads have of their own of a buffer: locals, or copies to add to.
    Own(BufferId),
    /// The partial results of blocks, of the sum of this number.
    Parts(usize),
    /// How many blocks, or threads, there were.
    Many,
}

/// A kernel that is written.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) name: String,
    /// How many words it takes.
    pub(super) words: usize,
    pub(super) text: String,
}

/// A kernel while it grows.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    /// Its name in the text.
    pub(super) name: String,
    /// In order.
    pub(super) words: Vec<Word>,
    numbers: HashMap<Word, usize>,
    /// What is declared in front of the statements.
    pub(super) top: Vec<String>,
    /// The statements.
    pub(super) lines: Vec<String>,
    depth: usize,
}

impl Kernel {
    pub(super) fn new(name: String) -> Kernel {
        Kernel {
            name,
            words: Vec::new(),
            numbers: HashMap::new(),
            top: Vec::new(),
            lines: Vec::new(),
            depth: 1,
        }
    }

    /// The name of a word in the text.
    pub(super) fn word(&mut self, program: &Program, word: Word) -> String {
        if !self.numbers.contains_key(&word) {
            self.numbers.insert(word, self.words.len());
            self.words.push(word);
        }
        name(program, word)
    }

    /// Adds a line.
    pub(super) fn line(&mut self, text: impl Into<String>) {
        self.lines.push(format!("{}{}", "  ".repeat(self.depth), text.into()));
    }

    /// Adds a line that opens a block.
    pub(super) fn open(&mut self, text: impl Into<String>) {
        self.line(text);
        self.depth += 1;
    }

    /// Adds a line that closes a block.
    pub(super) fn close(&mut self, text: &str) {
        self.depth = self.depth.saturating_sub(1).max(1);
        self.line(text);
    }

    /// Adds a line that closes a block and opens another.
    pub(super) fn turn(&mut self, text: &str) {
        self.close(text);
        self.depth += 1;
    }

    /// The whole kernel. `written` are the arrays that it writes: the others may be read through the cache of constants.
    pub(super) fn text(&self, program: &Program, written: &[Word], element: &dyn Fn(Word) -> Ty) -> String {
        let mut text = format!("PD_KERNEL {}(const pd_words<{}> w) {{\n", self.name, self.words.len());
        for (at, &word) in self.words.iter().enumerate() {
            let (name, of) = (name(program, word), format!("w.v[{at}]"));
            let ty = super::expr::c_type(element(word));
            let line = match word {
                Word::Failed => format!("const pd_array<pd_u64> {name} = pd_as_array<pd_u64>({of});"),
                Word::Array(_) | Word::Cells(_) | Word::Own(_) | Word::Parts(_) => {
                    let kind = if written.contains(&word) { "array" } else { "input" };
                    format!("const pd_{kind}<{ty}> {name} = pd_as_{kind}<{ty}>({of});")
                }
                _ => format!("const {ty} {name} = {};", super::expr::from_word(element(word), &of)),
            };
            text += &format!("  {line}\n");
        }
        for line in self.top.iter().chain(&self.lines) {
            text += line;
            text.push('\n');
        }
        text + "}\n"
    }
}

/// The name of something in the text: the user's, as far as C has it, and a number that makes it unique.
pub(super) fn c_name(name: &str, id: u32) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("{plain}_{id}")
}

fn name(program: &Program, word: Word) -> String {
    let of = |id: BufferId| c_name(&program[id].name, id.0);
    let iter = |id: IterId| c_name(&program[id].name, id.0);
    match word {
        Word::Failed => "failed".to_owned(),
        Word::Array(id) | Word::Scalar(id) => format!("b_{}", of(id)),
        Word::Cells(ty) => format!("cells_{ty}"),
        Word::Path(id) => format!("path_{}", id.0),
        Word::Iter(id) => format!("i_{}", iter(id)),
        Word::Extent(id, dim) => format!("len_{}_{dim}", of(id)),
        Word::First(id) => format!("first_{}", iter(id)),
        Word::Count(id) => format!("count_{}", iter(id)),
        Word::Step(id) => format!("step_{}", iter(id)),
        Word::Iterations => "iterations".to_owned(),
        Word::Own(id) => format!("own_{}", of(id)),
        Word::Parts(sum) => format!("parts_{sum}"),
        Word::Many => "many".to_owned(),
    }
}

/// The local of a thread that a scalar is, or the name of its local array.
pub(super) fn local(program: &Program, id: BufferId) -> String {
    format!("b_{}", c_name(&program[id].name, id.0))
}

/// The variable of an iterator.
pub(super) fn iterator(program: &Program, id: IterId) -> String {
    format!("i_{}", c_name(&program[id].name, id.0))
}
