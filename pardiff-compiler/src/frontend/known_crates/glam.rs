//! Types of `glam` whose fields are plain numbers in memory.

use super::family::{Family, Named};

/// What a name means; if it is that of a function, which function of the type does the same.
pub(super) fn named(name: &str) -> Option<(Named, Option<&'static str>)> {
    let double = name.strip_prefix(['D', 'd']).filter(|rest| !rest.is_empty());
    let (elem, rest) = double.map_or(("f32", name), |rest| ("f64", rest));
    let is_function = name.starts_with(char::is_lowercase);
    let (kind, family, size, makes) = match &*rest.to_lowercase() {
        "vec2" => ("Vec2", Family::GlamVector, 2, "new"),
        "vec3" => ("Vec3", Family::GlamVector, 3, "new"),
        "vec4" => ("Vec4", Family::GlamVector, 4, "new"),
        "mat2" => ("Mat2", Family::GlamMatrix, 2, "from_cols"),
        "mat3" => ("Mat3", Family::GlamMatrix, 3, "from_cols"),
        "mat4" => ("Mat4", Family::GlamMatrix, 4, "from_cols"),
        "quat" => ("Quat", Family::GlamQuaternion, 4, "from_xyzw"),
        _ => return None,
    };
    let written = if is_function { kind.to_lowercase() } else { kind.to_owned() };
    let named = Named::new(family, Some(elem), vec![Some(size)]);
    (rest == written).then_some((named, is_function.then_some(makes)))
}
