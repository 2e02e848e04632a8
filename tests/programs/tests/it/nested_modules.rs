//! Modules in a module under the attribute: their types, traits, functions and constants.

#![deny(warnings)]

use pardiff::differentiate;

#[differentiate(check)]
pub mod orbit {
    pub mod consts {
        pub const G: f64 = 2.5;
        pub const TABLE: [f64; 3] = [1.0, 2.0, 3.0];
    }

    pub mod plane {
        #[derive(Clone, Copy)]
        pub struct V {
            pub x: f64,
            pub y: f64,
        }

        impl V {
            pub fn new(x: f64, y: f64) -> V {
                V { x, y }
            }

            pub fn dot(self, other: V) -> f64 {
                self.x * other.x + self.y * other.y
            }
        }

        pub trait Norm {
            fn norm(&self) -> f64;
            fn twice(&self) -> f64 {
                2.0 * self.norm()
            }
        }

        impl Norm for V {
            fn norm(&self) -> f64 {
                self.dot(*self).sqrt()
            }
        }

        pub fn sum(a: V, b: V) -> V {
            V { x: a.x + b.x, y: a.y + b.y }
        }
    }

    pub mod bodies {
        /// The type has the name of its module.
        pub mod ellipsoid {
            use super::super::consts::G;

            #[allow(non_camel_case_types)]
            pub struct ellipsoid {
                pub axis: f64,
                pub flattening: f64,
            }

            impl ellipsoid {
                pub fn new(axis: f64, flattening: f64) -> ellipsoid {
                    ellipsoid { axis: axis * G, flattening: 1.0 / flattening }
                }
            }
        }
    }

    use self::bodies::ellipsoid;
    pub use plane::V;
    use plane::{Norm, sum};

    pub fn attraction(v: V, k: f64) -> f64 {
        let w = plane::sum(v, V::new(k, 1.0));
        consts::G * w.dot(v) + w.norm() * v.twice() + sum(v, w).x * consts::TABLE[1]
    }

    pub fn on_surface(v: &plane::V, axis: f64, flattening: f64) -> f64 {
        let made = ellipsoid::ellipsoid::new(axis, flattening);
        made.axis * v.x + polar(&made) * v.y
    }

    pub fn polar(of: &ellipsoid::ellipsoid) -> f64 {
        of.flattening * of.axis
    }

    pub fn equatorial(of: &ellipsoid::ellipsoid) -> f64 {
        of.axis * of.axis
    }

    /// Functions of one name.
    pub mod cubes {
        pub fn norm(x: f64) -> f64 {
            x * 1000.0
        }

        pub fn cube(x: f64) -> f64 {
            x * x * x
        }
    }

    pub mod others {
        use super::cubes;

        pub fn cube(x: f64) -> f64 {
            -x
        }

        pub fn both(x: f64) -> f64 {
            cubes::cube(x) * cube(x)
        }
    }

    fn norm(x: f64) -> f64 {
        x * x
    }

    pub fn by_paths(x: f64) -> f64 {
        norm(x) + cubes::norm(x) + cubes::cube(x) * others::cube(x) + others::both(x)
    }
}

#[test]
fn what_modules_in_a_module_hold_is_used() {
    let v = orbit::V { x: 0.3, y: 0.7 };
    assert_eq!(orbit::attraction::value(v, 0.4), orbit::attraction(v, 0.4));
    orbit::attraction::check(v, 0.4).unwrap();
    orbit::on_surface::check(&v, 0.4, 0.9).unwrap();
    let made = orbit::bodies::ellipsoid::ellipsoid::new(0.4, 0.9);
    orbit::polar::check(&made).unwrap();
    orbit::equatorial::check(&made).unwrap();
    assert_eq!(orbit::by_paths::value(0.4), orbit::by_paths(0.4));
    orbit::by_paths::check(0.4).unwrap();
}
