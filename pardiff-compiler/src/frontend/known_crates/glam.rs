//! Types of `glam` whose fields are plain numbers in memory.

use super::family::{Family, Named};

/// What a name means; if it is that of a function, which function of the type does the same.
pub(super) fn named(name: &str) -> Option<(Named, Option<&'static str>)> {
    let double = name.strip_prefix(['D', 'd']).filter(|rest| !rest.is_empty());
    let (elem, rest) = double.map_or(("f32", name), |rest| ("f64", rest));
    let is_function = name.starts_with(char::is_lowercase);
    let (family, size, makes) = match rest {
        "Vec2" | "vec2" => (Family::GlamVector, 2, "new"),
        "Vec3" | "vec3" => (Family::GlamVector, 3, "new"),
        "Vec4" | "vec4" => (Family::GlamVector, 4, "new"),
        "Mat2" | "mat2" => (Family::GlamMatrix, 2, "from_cols"),
        "Mat3" | "mat3" => (Family::GlamMatrix, 3, "from_cols"),
        "Mat4" | "mat4" => (Family::GlamMatrix, 4, "from_cols"),
        "Quat" | "quat" => (Family::GlamQuaternion, 4, "from_xyzw"),
        _ => return None,
    };
    let named = Named::new(family, Some(elem), vec![Some(size)]);
    // `dvec3` and `DVec3`, not `dVec3`
    let is_one = rest.starts_with(char::is_lowercase) == is_function;
    is_one.then_some((named, is_function.then_some(makes)))
}
