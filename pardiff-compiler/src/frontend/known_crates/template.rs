//! Texts of known crates: which of their items are wanted, and what stands for sizes in them.
//!
//! A text is Rust with these words in it:
//!
//! | word | what it stands for |
//! | --- | --- |
//! | `Own` | the type itself |
//! | `T` | `f64` or `f32` |
//! | `N`, `R`, `C` | its size, its rows and columns |
//! | `@(self.# + rhs.#; ,)` | the text for each component or row, `#`, with the separator between |
//! | `@c(…; ,)` | the text for each column, `$` |
//! | `~` beside `#` | the component that the column `#` of a matrix of `glam` is multiplied by |
//! | `UR`, `UC` | the types that stand for its rows and columns |
//! | `%Vec3` | `DVec3` or `Vec3` |
//! | `// where C = 1` before an item | a condition |
//! | `// for K, L` | once for each pair of sizes that occur; `// each K, L`: for each row and column |
//!
//! *Guarantees*: an item is wanted if its name is, or its operator, in the user's item or in what is wanted
//! already; so the user pays for what is used.

use super::family::{Family, Instance, mentioned};
use super::lexemes;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

/// An item of a text.
struct Part {
    /// The name that asks for it: of a function or a constant; what it is asked by if it implements a trait.
    name: String,
    /// Whether it stands in the `impl` of the type.
    inherent: bool,
    /// As it is written, and what `K` and `L` are in it: most items are never asked for.
    item: Rc<str>,
    pair: [usize; 2],
}

/// The wanted items of the texts of types, and of the types that these need.
pub(super) fn selected(mut words: HashSet<String>, found: &BTreeSet<Instance>) -> Vec<(Instance, String)> {
    let sizes = found.iter().flat_map(|it| it.dims.iter().copied());
    // 0 is one that is known at run time
    let mut sizes: BTreeSet<usize> = sizes.filter(|size| *size > 0).collect();
    sizes.insert(1);
    let mut waiting: BTreeMap<Instance, Vec<Part>> =
        found.iter().map(|it| (it.clone(), parts(it, &sizes))).collect();
    let mut chosen: BTreeMap<Instance, (String, String)> = BTreeMap::new();
    loop {
        let known: BTreeSet<Instance> = waiting.keys().cloned().collect();
        let (mut needed, mut changed) = (BTreeSet::new(), false);
        for (of, parts) in &mut waiting {
            let (items, inherent) = chosen.entry(of.clone()).or_default();
            parts.retain(|part| {
                if !is_wanted(&part.name, &words) {
                    return true;
                }
                let text = repeated(&with_sizes(&part.item, of, part.pair), of);
                // an operator with another type
                let head = text.split('{').next().unwrap_or_default();
                if !part.inherent && part.name != "struct" && !mentions(head, of).is_subset(&known) {
                    return true;
                }
                add_words(&text, &mut words);
                needed.extend(mentions(&text, of));
                let into = if part.inherent { &mut *inherent } else { &mut *items };
                into.push_str(&text);
                changed = true;
                false
            });
        }
        for of in needed {
            if !waiting.contains_key(&of) {
                waiting.insert(of.clone(), parts(&of, &sizes));
            }
        }
        if !changed {
            break;
        }
    }
    let of_type = |(of, (items, inherent))| (of, format!("{items} impl Own {{ {inherent} }}"));
    chosen.into_iter().map(of_type).collect()
}

/// The names and signs in a text.
fn add_words(mut text: &str, into: &mut HashSet<String>) {
    while let Some(lexeme) = lexemes::next(&mut text) {
        if lexemes::is_word(lexeme) && !into.contains(lexeme) {
            into.insert(lexeme.to_owned());
        }
    }
}

/// Whether the words of the user ask for what has this name.
fn is_wanted(name: &str, words: &HashSet<String>) -> bool {
    let any = |list: &str| list.split(' ').any(|word| words.contains(word));
    match name {
        "struct" => true,
        "Add" => any("+"),
        "Sub" | "Neg" => any("-"),
        "Mul" => any("*"),
        "Div" => any("/"),
        "Rem" => any("%"),
        "AddAssign" => any("+="),
        "SubAssign" => any("-="),
        "MulAssign" => any("*="),
        "DivAssign" => any("/="),
        "RemAssign" => any("%="),
        "Sum" => any("sum"),
        "Product" => any("product"),
        "From" => any("from into"),
        "Default" => any("default"),
        "Index" | "Deref" => true,
        "replaced_by" => any("= += -= *= /= %="),
        "unit_new_normalize" | "unit_new_unchecked" => any("Unit"),
        "translation_of" => any("Translation"),
        "point_of" => any("Point OPoint"),
        "as_slice" => any("as_slice iter iter_mut into_iter"),
        // `fixed_view_2_2`; `set_fixed_view_2_2`, which is written `fixed_view_mut`
        name => {
            let plain = name.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit());
            let of_view =
                || plain.strip_prefix("set_").is_some_and(|of| words.contains(&format!("{of}_mut")));
            words.contains(plain) || words.contains(name) || of_view()
        }
    }
}

/// The types that a text names.
fn mentions(mut text: &str, own: &Instance) -> BTreeSet<Instance> {
    let mut found = BTreeSet::new();
    while let Some(lexeme) = lexemes::next(&mut text) {
        found.extend(mentioned(lexeme, &mut text));
    }
    found.remove(own);
    found
}

/// The items of a text for one type.
fn parts(of: &Instance, sizes: &BTreeSet<usize>) -> Vec<Part> {
    let (mut found, mut item) = (Vec::new(), String::new());
    let (mut conditions, mut repeats, mut inherent) = (Vec::new(), Repeats::Never, false);
    for line in of.text().lines() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if item.is_empty() {
            match trimmed {
                "impl Own {" => inherent = true,
                "}" => inherent = false,
                _ => {}
            }
            if let Some(condition) = trimmed.strip_prefix("// where ") {
                conditions.push(condition.to_owned());
                continue;
            }
            repeats = match trimmed {
                "// for K" => Repeats::Sizes,
                "// for K, L" => Repeats::Pairs,
                "// each K, L" => Repeats::Elements,
                _ => repeats,
            };
            if matches!(trimmed, "" | "}" | "impl Own {") || trimmed.starts_with("//") {
                continue;
            }
        }
        item.push_str(line);
        item.push('\n');
        let own_indent = if inherent { 4 } else { 0 };
        if indent == own_indent && (trimmed.ends_with('}') || trimmed.ends_with(';')) {
            let item: Rc<str> = std::mem::take(&mut item).into();
            let name = name_of(&item);
            for pair in repeats.pairs(of, sizes) {
                let holds = |condition: &String| holds(&with_sizes(condition, of, pair));
                if conditions.iter().all(holds) {
                    let (name, item) = (with_sizes(name, of, pair), Rc::clone(&item));
                    found.push(Part { name, inherent, item, pair });
                }
            }
            conditions.clear();
            repeats = Repeats::Never;
        }
    }
    found
}

/// What `K` and `L` stand for in an item.
enum Repeats {
    Never,
    /// `K` for each size that occurs.
    Sizes,
    /// Both for each pair of these.
    Pairs,
    /// The numbers of rows and columns, from one on.
    Elements,
}

impl Repeats {
    fn pairs(&self, of: &Instance, sizes: &BTreeSet<usize>) -> Vec<[usize; 2]> {
        let all =
            |of: &[usize], and: &[usize]| of.iter().flat_map(|k| and.iter().map(|l| [*k, *l])).collect();
        let sizes: Vec<usize> = sizes.iter().copied().collect();
        let up_to = |at: usize| (1..=of.dims.get(at).copied().unwrap_or(1)).collect::<Vec<_>>();
        match self {
            Repeats::Never => vec![[1, 1]],
            Repeats::Sizes => all(&sizes, &[1]),
            Repeats::Pairs => all(&sizes, &sizes),
            Repeats::Elements => all(&up_to(0), &up_to(1)),
        }
    }
}

/// What asks for an item.
fn name_of(item: &str) -> &str {
    let mut words = item.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        match word {
            "struct" => {
                let name = words.next().unwrap_or_default();
                return if matches!(name, "Own" | "OwnStorage") { word } else { name };
            }
            "fn" | "const" | "impl" => return words.next().unwrap_or_default(),
            _ => {}
        }
    }
    ""
}

/// The text with sizes and the float in place of their names.
fn with_sizes(text: &str, of: &Instance, [k, l]: [usize; 2]) -> String {
    let [first, second] = [0, 1].map(|at| of.dims.get(at).copied().unwrap_or(1).to_string());
    let (mut out, mut rest) = (String::with_capacity(2 * text.len()), text);
    while let Some(lexeme) = lexemes::next(&mut rest) {
        match lexeme {
            "T" => out.push_str(of.elem),
            "N" | "R" => out.push_str(&first),
            "C" => out.push_str(&second),
            "K" => out.push_str(&k.to_string()),
            "L" => out.push_str(&l.to_string()),
            "UR" => out.extend(["U", &first]),
            "UC" => out.extend(["U", &second]),
            "VecN" | "MatN" | "PointN" | "TranslationN" | "IsometryN" | "UnitVectorN" => {
                out.extend([lexeme.trim_end_matches('N'), &first]);
            }
            "mKL" => out.push_str(&format!("m{k}{l}")),
            // not an operator
            "%" if rest.starts_with(char::is_alphabetic) => {
                out.push_str(if of.elem == "f64" { "D" } else { "" });
            }
            lexeme => match (lexeme.strip_suffix("_K_L"), lexeme.strip_suffix("_K")) {
                (Some(name), _) => out.push_str(&format!("{name}_{k}_{l}")),
                (_, Some(name)) => out.push_str(&format!("{name}_{k}")),
                _ => out.push_str(lexeme),
            },
        }
    }
    out
}

/// Whether all comparisons hold: `3 = 3, 2 < 3`.
fn holds(conditions: &str) -> bool {
    conditions.split(',').all(|condition| {
        let words: Vec<&str> = condition.split_whitespace().collect();
        match words[..] {
            [a, "=", b] => a == b,
            [a, "!=", b] => a != b,
            [a, "<", b] => a.parse::<usize>().ok() < b.parse::<usize>().ok(),
            [a, "<=", b] => a.parse::<usize>().ok() <= b.parse::<usize>().ok(),
            _ => false,
        }
    })
}

/// The text with what stands in `@(…)` once for each component, and in `@c(…)` for each column.
fn repeated(text: &str, of: &Instance) -> String {
    let Some(at) = text.find('@') else { return text.to_owned() };
    let (before, rest) = (&text[..at], &text[at + 1..]);
    let (mark, rest) = match rest.strip_prefix('c') {
        Some(rest) => ('$', rest),
        None => ('#', rest),
    };
    let end = closing(rest);
    let inner = rest.get(1..end).unwrap_or_default();
    let behind = rest.get(end + 1..).unwrap_or_default();
    let (inner, separator) = inner.rsplit_once(';').unwrap_or((inner, ""));
    let columns = of.dims.get(1).copied().unwrap_or(1);
    let names: Vec<String> = match (mark, of.family) {
        ('$', Family::GlamMatrix) => named(&["x", "y", "z", "w"], of),
        ('$', _) => (0..columns).map(|at| at.to_string()).collect(),
        (_, Family::GlamVector | Family::GlamQuaternion) => named(&["x", "y", "z", "w"], of),
        (_, Family::GlamMatrix) => named(&["x_axis", "y_axis", "z_axis", "w_axis"], of),
        _ => (0..of.dims.first().copied().unwrap_or(1)).map(|at| at.to_string()).collect(),
    };
    let components = ["x", "y", "z", "w"];
    let written = |(at, name): (usize, &String)| {
        let text = inner.replace(mark, name);
        if mark == '#' { text.replace('~', components.get(at).unwrap_or(&"")) } else { text }
    };
    let each: Vec<String> = names.iter().enumerate().map(written).collect();
    repeated(&format!("{before}{}{behind}", each.join(&format!("{separator} "))), of)
}

fn named(names: &[&str], of: &Instance) -> Vec<String> {
    names.iter().take(of.dims[0]).map(|name| (*name).to_owned()).collect()
}

/// The position of the parenthesis that closes the one at the beginning.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    let at = text.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    });
    at.unwrap_or(text.len())
}
