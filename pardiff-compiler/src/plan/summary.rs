//! The plan that a person reads: which of their loops run in parallel, which in order and why, what to change for it,
//! how much memory the tapes take, which sums needed copies. A screen of lines, whatever the function; the whole list
//! is beside it.
//!
//! A loop of the user is told by its statement: the loops that the schedule made of it have its origin.
//!
//! ```text
//! heat: value and gradient in two sweeps; 1 loop in parallel, 1 in order
//!   in parallel
//!     for i in 1..n - 1 (line 6)
//!   in order
//!     for t in 0..steps (line 5): an iteration reads what another iteration wrote (an element of `u`, at distance 1)
//!   tapes: 8 * steps * n bytes
//!     u_tape: steps * n of 8 bytes
//! heat: value alone; 1 loop in parallel, 1 in order
//! ```

use super::lines::{loop_head, scheme};
use super::words::extents;
use crate::ir::{Block, BufferId, Exec, Float, For, IterId, Level, Phase, Program, Role, Scheme, Stmt, Ty};
use crate::limits::{LINES_OF_COPIES, LINES_OF_LOOPS, LINES_OF_TAPES};
use crate::modes::Planned;
use crate::schedule::{Decisions, Scheduled};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What becomes of a loop of the user in one sweep.
#[derive(Clone, Default)]
struct Run {
    parallel: bool,
    /// Why it is in order, where it is, and what would change that.
    why: Option<String>,
    remedy: Option<String>,
}

/// A loop of the user.
struct Loop {
    head: String,
    is_users: bool,
    line: usize,
    /// In the forward sweep, and in the reverse sweep.
    runs: [Option<Run>; 2],
}

const SWEEPS: [&str; 2] = ["forward", "reverse"];

/// The summary of a mode, which is called `what`; `details` asks for more than the numbers of loops.
pub(super) fn of_mode(planned: &Planned, what: &str, details: bool) -> String {
    let scheduled = planned.cases.general();
    let program = &scheduled.program;
    let loops = loops(&planned.portable, scheduled);
    let (ordered, parallel): (Vec<&Loop>, Vec<&Loop>) = loops.iter().partition(|it| it.is_in_order());
    let counts = match (parallel.len(), ordered.len()) {
        (0, 0) => "no loop".to_owned(),
        (0, _) => "every loop is sequential".to_owned(),
        (1, 0) => "1 loop in parallel".to_owned(),
        (parallel, 0) => format!("{parallel} loops in parallel"),
        (1, ordered) => format!("1 loop in parallel, {ordered} in order"),
        (parallel, ordered) => format!("{parallel} loops in parallel, {ordered} in order"),
    };
    let mut text = format!("{}: {what}; {counts}\n", program.name);
    if !details {
        return text;
    }
    section(&mut text, "in parallel", &rows(&parallel, |it| (it.title(), String::new())));
    let mut ordered = ordered;
    // what users can change comes first
    ordered.sort_by_key(|it| it.remedy().is_none());
    section(&mut text, "in order", &rows(&ordered, |it| (it.title(), it.reason())));
    tapes(program, &mut text);
    super::segments::lengths(program, &mut text);
    copies(scheduled, &mut text);
    text
}

/// In one sweep if no loop of the reversal stands behind the loops of the primal, also in the arms of conditions.
pub(super) fn sweeps(program: &Program) -> &'static str {
    match has_reverse_sweep(&program.body) {
        true => "in two sweeps",
        false => "in one sweep",
    }
}

fn has_reverse_sweep(block: &Block) -> bool {
    fn opened(block: &Block) -> Vec<&Stmt> {
        let mut all = Vec::new();
        for stmt in block {
            match stmt.as_scope() {
                Some((_, body)) => all.append(&mut opened(body)),
                None => all.push(stmt),
            }
        }
        all
    }
    let list = opened(block);
    let behind = list.iter().rposition(|stmt| !stmt.origin.phase.is_derived()).map_or(0, |last| last + 1);
    let is_branch = |stmt: &&&Stmt| !stmt.is_loop();
    let has_loop = |list: &[&Stmt]| list.iter().any(|stmt| stmt.any(&mut |stmt: &Stmt| stmt.is_loop()));
    has_loop(&list[..behind]) && has_loop(&list[behind..])
        || list[..behind]
            .iter()
            .filter(is_branch)
            .any(|stmt| stmt.blocks().into_iter().any(has_reverse_sweep))
}

/// The loops of the user, in the order of the source.
fn loops(portable: &Program, scheduled: &Scheduled) -> Vec<Loop> {
    let (mut heads, mut with_body) = (HashMap::new(), HashSet::new());
    crate::ir::walk(&portable.body, &mut |stmt| {
        if stmt.is_loop() && stmt.origin.phase == Phase::Primal {
            heads.entry(stmt.origin.stmt).or_insert_with(|| head(portable, stmt));
            if has_body(stmt) {
                with_body.insert(stmt.origin.stmt);
            }
        }
    });
    let mut found = Finder { scheduled, heads, with_body, tasks: HashSet::new(), loops: BTreeMap::new() };
    crate::ir::walk(&scheduled.program.body, &mut |stmt| {
        if stmt.as_for().is_some_and(is_task) && !found.is_beside(stmt) {
            found.tasks.insert((stmt.origin.stmt, sweep(stmt)));
        }
    });
    found.block(&scheduled.program.body);
    let mut loops: Vec<Loop> = found.loops.into_values().filter_map(Loop::known).collect();
    loops.sort_by_key(|it| it.line);
    loops
}

struct Finder<'a> {
    scheduled: &'a Scheduled,
    /// The loops as users write them.
    heads: HashMap<u32, String>,
    /// Those of them whose body has statements of its own.
    with_body: HashSet<u32>,
    /// Those that run in parallel, in some version at least.
    tasks: HashSet<(u32, usize)>,
    loops: BTreeMap<u32, Loop>,
}

impl Finder<'_> {
    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    /// Whether a loop only serves a loop of the user: it stores an array before that loop, or sets adjoints to zero.
    fn is_beside(&self, stmt: &Stmt) -> bool {
        self.with_body.contains(&stmt.origin.stmt) && !has_body(stmt)
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if stmt.is_loop() && self.is_beside(stmt) {
            return;
        }
        let is_parallel = self.tasks.contains(&(stmt.origin.stmt, sweep(stmt)));
        match stmt.iter() {
            // what is inside a task is in the task, and not another loop where that version does not run
            Some(_) if is_parallel => return self.add(stmt, Run { parallel: true, ..Run::default() }),
            Some(iter) => self.add(stmt, in_order(&self.scheduled.decisions, iter)),
            None => {}
        }
        stmt.blocks().into_iter().for_each(|block| self.block(block));
    }

    /// A version that runs in parallel counts for the loop, and so does a reason that is known.
    fn add(&mut self, stmt: &Stmt, run: Run) {
        let program = &self.scheduled.program;
        let sweep = sweep(stmt);
        let (heads, key) = (&self.heads, stmt.origin.stmt);
        let it = self.loops.entry(key).or_insert_with(|| Loop {
            head: heads.get(&key).cloned().unwrap_or_else(|| head(program, stmt)),
            is_users: heads.contains_key(&key),
            line: program.spans.get(stmt.origin.span.0 as usize).map_or(0, |span| span.start().line),
            runs: [None, None],
        });
        let known = it.runs[sweep].get_or_insert_with(Run::default);
        known.parallel |= run.parallel;
        known.remedy = known.remedy.take().or(run.remedy);
        known.why = known.why.take().or(run.why);
    }
}

/// Whether a loop has statements that are not part of it.
fn has_body(stmt: &Stmt) -> bool {
    stmt.any(&mut |inner| inner.origin.stmt != stmt.origin.stmt)
}

fn is_task(each: &For) -> bool {
    matches!(each.exec, Exec::Parallel(Level::Task | Level::Grid))
}

/// The position of the sweep in [`SWEEPS`].
fn sweep(stmt: &Stmt) -> usize {
    usize::from(!matches!(stmt.origin.phase, Phase::Primal | Phase::Tangent))
}

fn in_order(decisions: &Decisions, iter: IterId) -> Run {
    let why = decisions.loops.get(&iter).cloned();
    Run { parallel: false, why, remedy: decisions.remedies.get(&iter).cloned() }
}

fn head(program: &Program, stmt: &Stmt) -> String {
    match (stmt.as_for(), stmt.iter()) {
        (Some(each), _) => loop_head(program, each),
        (None, Some(counter)) => format!("while, counted by {}", program[counter].name),
        (None, None) => String::new(),
    }
}

impl Loop {
    /// Without what has no reason: it merges parts, or sets adjoints to zero. Of a loop that is nothing else, that is
    /// all.
    fn known(mut self) -> Option<Loop> {
        let is_known = |run: &Run| run.parallel || run.why.is_some();
        if self.runs.iter().flatten().any(is_known) {
            self.runs.iter_mut().for_each(|run| *run = run.take().filter(is_known));
            return Some(self);
        }
        self.is_users.then_some(self)
    }

    fn is_in_order(&self) -> bool {
        self.runs.iter().flatten().any(|run| !run.parallel)
    }

    fn title(&self) -> String {
        match self.line {
            0 => self.head.clone(),
            line => format!("{} (line {line})", self.head),
        }
    }

    fn remedy(&self) -> Option<&String> {
        self.runs.iter().flatten().filter(|run| !run.parallel).find_map(|run| run.remedy.as_ref())
    }

    /// Why it is in order, in each sweep.
    fn reason(&self) -> String {
        let why = |run: &Run| match (run.parallel, &run.why) {
            (true, _) => "in parallel".to_owned(),
            (false, Some(why)) => why.clone(),
            (false, None) => "in order".to_owned(),
        };
        let runs: Vec<(&str, String)> = SWEEPS
            .into_iter()
            .zip(&self.runs)
            .filter_map(|(sweep, run)| run.as_ref().map(|run| (sweep, why(run))))
            .collect();
        let mut text = match &runs[..] {
            [(_, one)] => one.clone(),
            [(_, a), (_, b)] if a == b => a.clone(),
            runs => runs.iter().map(|(sweep, why)| format!("{sweep}: {why}")).collect::<Vec<_>>().join("; "),
        };
        if text == "in order" {
            text.clear();
        }
        if let Some(remedy) = self.remedy() {
            text += &format!("\n      to run it in parallel: {remedy}");
        }
        text
    }
}

/// Loops of one title and reason are one row; those of one reason that nobody can change as well.
fn rows(loops: &[&Loop], words: impl Fn(&Loop) -> (String, String)) -> Vec<(String, usize)> {
    let mut groups: Vec<(Vec<String>, String)> = Vec::new();
    for it in loops {
        let (title, reason) = words(it);
        let joins = |(titles, known): &&mut (Vec<String>, String)| {
            *known == reason && (it.is_in_order() && it.remedy().is_none() || titles.contains(&title))
        };
        match groups.iter_mut().find(joins) {
            Some((titles, _)) => titles.push(title),
            None => groups.push((vec![title], reason)),
        }
    }
    let row = |(titles, reason): (Vec<String>, String)| {
        let count = titles.len();
        let mut distinct: Vec<(String, usize)> = Vec::new();
        for title in titles {
            match distinct.iter_mut().find(|(known, _)| *known == title) {
                Some((_, times)) => *times += 1,
                None => distinct.push((title, 1)),
            }
        }
        let more = distinct.len().saturating_sub(3);
        let shown = distinct.iter().take(3).map(|(title, times)| match times {
            1 => title.clone(),
            times => format!("{title}, {times} times"),
        });
        let mut text = shown.collect::<Vec<_>>().join("; ");
        if more > 0 {
            text += &format!("; and {more} more");
        }
        (if reason.is_empty() { text } else { format!("{text}: {reason}") }, count)
    };
    groups.into_iter().map(row).collect()
}

/// Writes the rows, each of so many loops, under a title; what is too many is counted.
fn section(text: &mut String, title: &str, rows: &[(String, usize)]) {
    if rows.is_empty() {
        return;
    }
    *text += &format!("  {title}\n");
    let (mut left, mut shown) = (LINES_OF_LOOPS, 0);
    for (row, _) in rows {
        let lines = row.lines().count();
        if lines > left {
            break;
        }
        (left, shown) = (left - lines, shown + 1);
        *text += &format!("    {row}\n");
    }
    if shown < rows.len() {
        let more: usize = rows[shown..].iter().map(|(_, count)| count).sum();
        *text += &format!("    and {more} more\n");
    }
}

/// Tapes of one size.
struct Tapes {
    size: String,
    /// Of an element.
    bytes: usize,
    /// Whether they are made again in each iteration of a loop.
    in_loop: bool,
    names: Vec<String>,
}

/// Tapes of one size in one line, and those outside loops as a formula; the largest first, by their dimensions.
fn tapes(program: &Program, text: &mut String) {
    let mut all: Vec<Tapes> = Vec::new();
    find_tapes(program, &program.body, false, &mut |buffer, in_loop| {
        let (size, bytes, name) = (extents(program, buffer), bytes(program, buffer), &program[buffer].name);
        let same = |it: &&mut Tapes| it.size == size && it.bytes == bytes && it.in_loop == in_loop;
        match all.iter_mut().find(same) {
            Some(known) => known.names.push(name.clone()),
            None => all.push(Tapes { size: size.clone(), bytes, in_loop, names: vec![name.clone()] }),
        }
    });
    if all.is_empty() {
        return;
    }
    let dimensions = |size: &str| if size == "1" { 0 } else { 1 + size.matches(" * ").count() };
    all.sort_by_key(|it| (it.in_loop, std::cmp::Reverse(dimensions(&it.size))));
    let mut terms: Vec<(&str, usize)> = Vec::new();
    for it in all.iter().filter(|it| !it.in_loop) {
        let own = it.bytes * it.names.len();
        match terms.iter_mut().find(|(known, _)| *known == it.size) {
            Some((_, sum)) => *sum += own,
            None => terms.push((&it.size, own)),
        }
    }
    let shown = terms.iter().take(LINES_OF_TAPES).map(|(size, bytes)| match *size {
        "1" => bytes.to_string(),
        size => format!("{bytes} * {size}"),
    });
    let mut formula: Vec<String> = shown.collect();
    if terms.len() > LINES_OF_TAPES {
        formula.push(format!("{} more terms", terms.len() - LINES_OF_TAPES));
    }
    *text += &match formula.is_empty() {
        true => "  tapes: inside loops alone\n".to_owned(),
        false => format!("  tapes: {} bytes\n", formula.join(" + ")),
    };
    for Tapes { size, bytes, in_loop, names } in all.iter().take(LINES_OF_TAPES) {
        let mut distinct: Vec<&String> = Vec::new();
        names.iter().for_each(|name| {
            if !distinct.contains(&name) {
                distinct.push(name)
            }
        });
        let first: Vec<&str> = distinct.iter().take(3).map(|name| name.as_str()).collect();
        let each = if names.len() > 1 { format!(" each, {} of them", names.len()) } else { String::new() };
        let again = if *in_loop { ", in each iteration" } else { "" };
        let dots = if distinct.len() > 3 { ", …" } else { "" };
        *text += &format!("    {}{dots}: {size} of {bytes} bytes{each}{again}\n", first.join(", "));
    }
    if all.len() > LINES_OF_TAPES {
        let more: usize = all[LINES_OF_TAPES..].iter().map(|it| it.names.len()).sum();
        *text += &format!("    and {more} more\n");
    }
}

/// The bytes of an element.
fn bytes(program: &Program, buffer: BufferId) -> usize {
    match program[buffer].elem {
        Ty::Bool => 1,
        Ty::Float(Float::F32) => 4,
        Ty::Float(Float::F64) => 8,
        Ty::Int(int) => int.bits() as usize / 8,
    }
}

fn find_tapes(program: &Program, block: &Block, in_loop: bool, found: &mut dyn FnMut(BufferId, bool)) {
    for stmt in block {
        let tapes = stmt.declares().iter().filter(|&&buffer| program[buffer].role == Role::Tape);
        tapes.for_each(|&buffer| found(buffer, in_loop));
        let in_loop = in_loop || stmt.is_loop();
        stmt.blocks().into_iter().for_each(|block| find_tapes(program, block, in_loop, found));
    }
}

/// The sums that are made in copies of their targets, and why.
fn copies(scheduled: &Scheduled, text: &mut String) {
    let Scheduled { program, decisions } = scheduled;
    let mut rows: Vec<String> = Vec::new();
    sums(&program.body, None, &mut |task, buffer, how| {
        if !matches!(how, Scheme::PrivateCopies | Scheme::SharedCopies | Scheme::WindowCopies) {
            return;
        }
        let name = &program[buffer].name;
        let target = ["_parts", "_part"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        let why = task.and_then(|task| decisions.sums.get(&(task, buffer)));
        let why = why.map_or("", |why| why.split(" (estimates").next().unwrap_or(why));
        let (size, bytes) = (extents(program, buffer), bytes(program, buffer));
        let row = format!("{target}: {}, {size} of {bytes} bytes: {why}", scheme(how));
        if !rows.contains(&row) {
            rows.push(row);
        }
    });
    if rows.is_empty() {
        return;
    }
    *text += "  sums in copies\n";
    rows.iter().take(LINES_OF_COPIES).for_each(|row| *text += &format!("    {row}\n"));
    if rows.len() > LINES_OF_COPIES {
        *text += &format!("    and {} more\n", rows.len() - LINES_OF_COPIES);
    }
}

fn sums(block: &Block, task: Option<IterId>, found: &mut dyn FnMut(Option<IterId>, BufferId, Scheme)) {
    for stmt in block {
        if let Some(update) = stmt.as_update() {
            found(task, update.target.buffer, update.scheme);
        }
        let task = match stmt.as_for() {
            Some(each) if matches!(each.exec, Exec::Parallel(_)) => Some(each.iter),
            _ => task,
        };
        stmt.blocks().into_iter().for_each(|block| sums(block, task, found));
    }
}
