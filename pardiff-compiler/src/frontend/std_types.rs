//! Types of the standard library that are no values here: for each why not, and what to write instead.

/// Why values of a type are not known, and what to write instead; `None` if it is no such type.
pub(super) fn refused(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "HashMap" | "BTreeMap" => (
            "values are numbers, arrays and structs of these, and no collections by keys",
            "number the keys, and index a vector: `let mut values = vec![0.0; n];`, and `values[k] = x[i];`",
        ),
        "HashSet" | "BTreeSet" => (
            "values are numbers, arrays and structs of these, and no sets",
            "number what may be in it, and keep flags: `let mut seen = vec![false; n]; seen[k] = true;`",
        ),
        "VecDeque" | "LinkedList" => (
            "the collection that grows here is `Vec`",
            "keep the index of the first item beside a vector: `let mut queue = vec![k]; let mut first = 0;`",
        ),
        "BinaryHeap" => (
            "the collection that grows here is `Vec`",
            "keep a vector, and search it for the least: `v.iter().copied().fold(f64::INFINITY, f64::min)`",
        ),
        "str" | "String" => (
            "a text is known as a parameter of its own and as a variable",
            "pass it by itself, `label: &str`, or write an enum in its place",
        ),
        "Box" | "Rc" | "Arc" => (
            "a pointer is known as a parameter of its own, to a value of a type that derives `Clone`, and as a variable",
            "pass a reference, `s: &S` or `s: &mut S`, and write the value without the pointer in a struct: `s: S`",
        ),
        "Cell" | "RefCell" | "OnceCell" | "Mutex" | "RwLock" | "AtomicUsize" | "AtomicU64" | "AtomicBool" => {
            (
                "who changes a value behind a shared reference is not seen",
                "write `let mut v = 0.0;`, and pass `&mut v`",
            )
        }
        "Cow" => ("whether it is a copy is known only at run time", "pass a slice: `x: &[f64]`"),
        "Instant" | "SystemTime" => {
            ("the time is no function of the parameters", "measure it where the function is called")
        }
        "Duration" => (
            "its seconds are a whole number beside another one, and not a float",
            "pass the seconds, `dt: f64`, which `dt.as_secs_f64()` is where the function is called",
        ),
        _ => return None,
    })
}
