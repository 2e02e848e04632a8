//! Random loops over records whose members are written and read again: `y[i][0] = a; y[i][1] += y[i][0] * b; …`, in
//! arrays of arrays, in one flat array, behind an index, and from the last record to the first.

use crate::random::draw::Draw;
use std::fmt::Write;

/// So many programs from that seed on, as modules with a test each.
pub fn programs(first: u64, count: u64) -> String {
    (first..first + count).map(program).collect()
}

fn program(seed: u64) -> String {
    let mut loops = Loop::new(seed);
    let mut body = String::new();
    for _ in 0..loops.draw.between(3, 8) {
        loops.stmt(&mut body, true);
    }
    let (width, flat) = (loops.width, loops.form == Form::Flat);
    let (ty, make) = match flat {
        true => ("&mut [f64]".to_owned(), format!("super::records::<{width}>(n).as_flattened().to_vec()")),
        false => (format!("&mut [[f64; {width}]]"), format!("super::records::<{width}>(n)")),
    };
    let (modes, numbers) =
        (*loops.draw.pick(&["", ", forward, hvp"]), if flat { "&a" } else { "a.as_flattened()" });
    let other = numbers.replacen('a', "b", 1);
    format!(
        "mod r{seed} {{
#[pardiff::differentiate(check, wrt(x, y, z){modes})]
pub fn f(x: &[f64], y: {ty}, z: &mut [[f64; 3]], p: &[usize]) {{
    let n = x.len();
    for i in 0..n {{
        let mut t = x[i];
        {body}
    }}
}}
#[test]
fn agrees_with_itself() {{
    for n in super::SIZES {{
        let (x, p) = super::inputs(n);
        let (mut a, mut b, mut c) = ({make}, {make}, {make});
        let [mut own, mut generated, mut checked] = [(); 3].map(|()| super::records::<3>(n));
        f(&x, &mut a, &mut own, &p);
        f::value(&x, &mut b, &mut generated, &p);
        super::are_equal({numbers}, {other}, n);
        super::are_equal(own.as_flattened(), generated.as_flattened(), n);
        if n <= super::CHECKED {{
            f::check(&x, &mut c, &mut checked, &p).unwrap();
        }}
    }}
}}
}}
"
    )
}

/// How the record of an iteration is found.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Own,
    Flat,
    Indexed,
    Last,
}

struct Loop {
    draw: Draw,
    form: Form,
    width: usize,
}

impl Loop {
    fn new(seed: u64) -> Loop {
        let mut draw = Draw::new(seed);
        let form = *draw.pick(&[Form::Own, Form::Flat, Form::Indexed, Form::Last]);
        let width = *draw.pick(&[2, 3, 3, 4, 5, 6]);
        Loop { draw, form, width }
    }

    fn member(&self, k: usize) -> String {
        match self.form {
            Form::Own => format!("y[i][{k}]"),
            Form::Flat => format!("y[{} * i + {k}]", self.width),
            Form::Indexed => format!("y[p[i]][{k}]"),
            Form::Last => format!("y[n - 1 - i][{k}]"),
        }
    }

    fn any_member(&mut self) -> String {
        let k = self.draw.below(self.width);
        self.member(k)
    }

    fn of_other(&mut self) -> String {
        format!("z[i][{}]", self.draw.below(3))
    }

    fn leaf(&mut self) -> String {
        match self.draw.below(20) {
            0..9 => self.any_member(),
            9..13 => "x[i]".to_owned(),
            13..16 => self.of_other(),
            _ => (*self.draw.pick(&["0.5f64", "1.25f64", "t"])).to_owned(),
        }
    }

    fn value(&mut self, depth: usize) -> String {
        match self.draw.below(20) {
            0..7 => self.leaf(),
            _ if depth > 1 => self.leaf(),
            7..12 => format!("({} * {})", self.value(depth + 1), self.value(depth + 1)),
            12..16 => format!("({} + {})", self.value(depth + 1), self.value(depth + 1)),
            16..18 => format!("({} - {})", self.value(depth + 1), self.value(depth + 1)),
            _ => format!("{}.sin()", self.value(depth + 1)),
        }
    }

    /// A statement; one that others are in, if it may be.
    fn stmt(&mut self, out: &mut String, outermost: bool) {
        match self.draw.below(20) {
            0..2 => _ = writeln!(out, "t = {}.sin();", self.value(0)),
            2..4 if outermost => {
                let (left, right) = (self.leaf(), *self.draw.pick(&["0.1", "x[i]"]));
                let _ = writeln!(out, "if {left} > {right} {{");
                self.arm(out);
                if self.draw.chance(50) {
                    let _ = writeln!(out, "}} else {{");
                    self.arm(out);
                }
                let _ = writeln!(out, "}}");
            }
            // members in their order, each perhaps of the one before
            4..10 => {
                let op = *self.draw.pick(&["=", "+="]);
                for k in 0..self.width {
                    let before = if k > 0 && self.draw.chance(30) { self.member(k - 1) } else { self.leaf() };
                    let (member, value) = (self.member(k), self.leaf());
                    let _ = writeln!(out, "{member} {op} 0.2 * {before} - 0.1 * {value};");
                }
            }
            _ => {
                let target = if self.draw.chance(20) { self.of_other() } else { self.any_member() };
                let op = *self.draw.pick(&["=", "=", "+=", "+=", "-=", "*="]);
                let _ = writeln!(out, "{target} {op} 0.4 * {}.sin();", self.value(0));
            }
        }
    }

    fn arm(&mut self, out: &mut String) {
        for _ in 0..self.draw.between(1, 3) {
            self.stmt(out, false);
        }
    }
}
