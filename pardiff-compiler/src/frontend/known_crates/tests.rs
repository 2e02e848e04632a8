//! Names, and texts of all sizes.

use super::family::{ALL, Instance, named};
use super::{of_key, template, texts, words};
use std::collections::{BTreeSet, HashSet};
use syn::{ImplItem, Item};

/// Each family in each size.
fn all() -> Vec<Instance> {
    let mut keys = Vec::new();
    for elem in ["f64", "f32"] {
        let of_double = if elem == "f64" { "D" } else { "" };
        keys.push(format!("Complex<{elem}>"));
        keys.push(format!("{of_double}Quat"));
        for size in 2..=4 {
            keys.extend([format!("{of_double}Vec{size}"), format!("{of_double}Mat{size}")]);
        }
        for name in [
            "Quaternion",
            "UnitQuaternion",
            "UnitComplex",
            "UnitVector2",
            "UnitVector3",
            "Rotation2",
            "Rotation3",
            "Translation2",
            "Translation3",
            "Isometry2",
            "Isometry3",
        ] {
            keys.push(format!("{name}<{elem}>"));
        }
        keys.extend(["DVector", "RowDVector", "DMatrix"].map(|name| format!("{name}<{elem}>")));
        keys.extend((1..=6).map(|size| format!("Point{size}<{elem}>")));
    }
    keys.extend(["char", "NonZeroU8", "NonZeroIsize", "U3"].map(str::to_owned));
    // their closure has the other sizes of two in it
    for [rows, columns] in [[1, 1], [2, 1], [3, 1], [1, 4], [2, 2], [2, 3], [4, 4], [5, 6]] {
        keys.push(format!("SMatrix<f64, {rows}, {columns}>"));
    }
    keys.iter().map(|key| of_key(key).unwrap_or_else(|| panic!("{key}"))).collect()
}

#[test]
fn every_text_is_rust_in_every_size() {
    for instance in all() {
        assert_eq!(of_key(&instance.to_string()), Some(instance.clone()));
        let mut every: HashSet<String> = HashSet::new();
        let of_text = |word: &str| word.to_owned();
        every.extend(instance.text().split(|c: char| !c.is_alphanumeric() && c != '_').map(of_text));
        every.extend(["+", "-", "*", "/", "sum", "product", "from"].map(str::to_owned));
        every.extend(super::lexemes::ASSIGNING.map(str::to_owned));
        let found = BTreeSet::from([instance.clone()]);
        for (of, text) in template::selected(every.clone(), &found) {
            let file: Result<syn::File, _> = syn::parse_str(&super::renamed(&text, &of));
            assert!(file.is_ok(), "{instance}, {of}: {:?} in {text}", file.err());
        }
    }
}

#[test]
fn names_mean_types() {
    let shown = |name: &str| named(name, ALL).map(|(it, function)| format!("{:?} {function:?}", it.family));
    for (name, expected) in [
        ("Complex64", "Complex None"),
        ("c64", "Complex Some(\"new\")"),
        ("DVec3", "GlamVector None"),
        ("dvec3", "GlamVector Some(\"new\")"),
        ("vec2", "GlamVector Some(\"new\")"),
        ("mat3", "GlamMatrix Some(\"from_cols\")"),
        ("Vector6", "Matrix None"),
        ("Matrix3x2", "Matrix None"),
        ("UnitQuaternion", "UnitQuaternion None"),
    ] {
        assert_eq!(shown(name).as_deref(), Some(expected), "{name}");
    }
    for name in
        ["Vec", "vec", "Vector7", "Matrix0", "Matrix3x", "DVec", "dVec3", "DVEC3", "D", "d", "U", "U0", "U7"]
    {
        assert_eq!(shown(name), None, "{name}");
    }
    assert_eq!(of_key("SMatrix<f64, 7, 1>"), None);
    // those that others have as well are meant with all of their arguments alone
    for other in
        ["Vector", "Vector<f64, 3>", "Matrix", "Matrix<f64, 2, 3>", "Point", "Point<f64>", "Translation"]
    {
        assert_eq!(of_key(other), None, "{other}");
    }
    for (key, own) in [
        ("Vector<f64, U3, Owned<f64, U3>>", "SMatrix<f64, 3, 1>"),
        ("OMatrix<f32, Const<2>, U4>", "SMatrix<f32, 2, 4>"),
        ("OPoint<f64, U2>", "Point2<f64>"),
        ("Const<5>", "U5"),
    ] {
        assert_eq!(of_key(key), of_key(own), "{key}");
    }
    assert_eq!(of_key("Complex<T>"), None);
}

/// The names of the functions of a text that words ask for.
fn functions(key: &str, text: &str) -> Vec<String> {
    let mut asked = HashSet::new();
    words(text.parse().expect("tokens"), &mut asked);
    let found = BTreeSet::from([of_key(key).expect("a type")]);
    let items = texts(asked, &found).into_iter().flat_map(|(_, items)| items);
    let of_item = |item: Item| match item {
        Item::Impl(of) => of.items,
        _ => Vec::new(),
    };
    let name = |part: ImplItem| match part {
        ImplItem::Fn(function) => Some(function.sig.ident.to_string()),
        _ => None,
    };
    items.flat_map(of_item).filter_map(name).collect()
}

#[test]
fn what_is_not_named_is_not_read() {
    let has = |key: &str, text: &str, wanted: &[&str], others: &[&str]| {
        let functions = functions(key, text);
        let is_there = |name: &&&str| functions.iter().any(|function| function == **name);
        assert_eq!(wanted.iter().filter(is_there).count(), wanted.len(), "{text}: {functions:?}");
        assert_eq!(others.iter().filter(is_there).count(), 0, "{text}: {functions:?}");
    };
    has("DVec3", "v.x", &[], &["new", "dot", "add", "length"]);
    // and the operators whose signs stand in these functions
    has("DVec3", "v.length()", &["length", "dot"], &["new", "cross", "sub", "div", "normalize"]);
    has("DVec3", "v.x + v.y", &["add"], &["add_assign", "sub", "mul", "dot"]);
    has("DVec3", "v.x += v.y", &["add_assign"], &["add", "sub", "dot"]);
    // another type is there where a function needs it
    has("DVec3", "v.extend(1.0)", &["extend"], &["truncate", "dot"]);
    has("SMatrix<f64, 3, 3>", "a.m23", &["m23", "index"], &["m22", "transpose", "lu"]);
}
