//! Arguments to call a program with: every index array points where the program needs it to.

use super::draw::Draw;
use super::program::{Param, Program, Shape, Size, Ty, Values};
use std::collections::BTreeMap;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub name: String,
    pub ty: Ty,
    pub shape: Shape,
    pub mutable: bool,
    /// Empty for a scalar.
    pub dims: Vec<usize>,
    pub data: Data,
}

/// Elements, row-major; one for a scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    Floats(Vec<f64>),
    /// Also bools, as 0 and 1.
    Ints(Vec<i64>),
}

/// The arguments, and the value of the const generic parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    pub list: Vec<Argument>,
    pub generic: usize,
}

/// What the arguments are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Case {
    /// Floats at random.
    Usual,
    /// Few different floats: kinks are hit, extremes are attained more than once.
    Ties,
    /// The sizes are zero: some programs panic.
    Empty,
}

/// Arguments of that seed.
pub fn arguments(program: &Program, seed: u64, case: Case) -> Arguments {
    let empty = case == Case::Empty;
    let mut draw = Draw::new(seed ^ 0xa5a5_a5a5);
    let mut sizes = BTreeMap::new();
    for (name, lo, hi) in [("n", 1, 4), ("m", 1, 3), ("N", 2, 3), ("steps", 0, 3)] {
        let value = draw.between(lo, hi) as usize;
        sizes.insert(name.to_owned(), if empty && name != "N" { 0 } else { value });
    }
    // row pointers first: they decide how many columns there are
    let mut pointers = vec![0i64];
    for _ in 0..sizes["n"] {
        pointers.push(pointers.last().unwrap_or(&0) + draw.between(0, 3));
    }
    sizes.insert("col".into(), *pointers.last().unwrap_or(&0) as usize);
    let mut list = Vec::new();
    for param in &program.main.params {
        list.push(argument(param, (program.exact, case), &sizes, &pointers, &mut draw));
    }
    Arguments { list, generic: sizes["N"] }
}

fn argument(
    param: &Param,
    kind: (bool, Case),
    sizes: &BTreeMap<String, usize>,
    pointers: &[i64],
    draw: &mut Draw,
) -> Argument {
    let dims: Vec<usize> = param.dims.iter().map(|size| extent(size, sizes)).collect();
    let len: usize = dims.iter().product();
    let data = if param.ty.is_float() {
        Data::Floats((0..len).map(|_| float(param.ty, kind, draw)).collect())
    } else {
        Data::Ints(match &param.values {
            Values::Pointers(_) => pointers.to_vec(),
            Values::Below(size) => {
                let bound = extent(size, sizes).max(1);
                (0..len).map(|_| draw.below(bound) as i64).collect()
            }
            Values::AtMost(size) => {
                let bound = extent(size, sizes) + 1;
                (0..len).map(|_| draw.below(bound) as i64).collect()
            }
            Values::Any if dims.is_empty() => {
                let value = draw.between(param.range.0, param.range.1);
                vec![sizes.get(&param.name).map_or(value, |size| *size as i64)]
            }
            Values::Any => {
                let lo = if param.ty == Ty::U32 { 0 } else { -5 };
                (0..len).map(|_| draw.between(lo, 9)).collect()
            }
        })
    };
    let (name, ty, shape) = (param.name.clone(), param.ty, param.shape.clone());
    Argument { name, ty, shape, mutable: param.mutable, dims, data }
}

fn float(ty: Ty, (exact, case): (bool, Case), draw: &mut Draw) -> f64 {
    let value = match case {
        _ if exact => draw.between(-6, 6) as f64,
        Case::Ties => draw.between(-2, 2) as f64 / 2.0,
        _ => draw.float(-2.0, 2.0),
    };
    if ty == Ty::F32 { f64::from(value as f32) } else { value }
}

fn extent(size: &Size, sizes: &BTreeMap<String, usize>) -> usize {
    match size {
        Size::Const(value) => *value,
        Size::Named(name) | Size::Len(name) => sizes[name],
        Size::Plus1(size) => extent(size, sizes) + 1,
        Size::Minus1(size) => extent(size, sizes).saturating_sub(1),
        Size::Product(rows, cols) => extent(rows, sizes) * extent(cols, sizes),
    }
}

/// A random vector, for seeds and directions: as long as all the floats of `lens` together.
pub fn direction(seed: u64, lens: &[usize], exact: bool) -> Vec<Vec<f64>> {
    let mut draw = Draw::new(seed ^ 0x0d1e_c710);
    let mut one = || if exact { draw.between(-4, 4) as f64 } else { draw.float(-1.0, 1.0) };
    lens.iter().map(|&len| (0..len).map(|_| one()).collect()).collect()
}
