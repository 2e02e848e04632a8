use pardiff::differentiate;

#[differentiate]
mod rays {
    #[derive(Clone, Copy)]
    pub struct Hit {
        pub distance: f64,
        pub normal: [f64; 2],
    }

    impl Hit {
        // of the name that a method of floats has
        fn max(self, least: f64) -> Hit {
            Hit { distance: self.distance.max(least), ..self }
        }
    }

    /// Where a ray along x meets a circle.
    fn meet(circle: &[f64; 3], y: f64) -> Option<Hit> {
        let [cx, cy, r] = *circle;
        let inside = (r * r - (y - cy).powi(2)).max(0.0);
        if inside == 0.0 {
            return None;
        }
        let distance = Some(cx - inside.sqrt()).filter(|t| *t > 0.0)?;
        Some(Hit { distance, normal: [(distance - cx) / r, (y - cy) / r] }.max(1e-3))
    }

    pub fn light(circles: &[[f64; 3]], y: f64) -> f64 {
        let mut nearest: Option<Hit> = None;
        for hit in circles.iter().filter_map(|circle| meet(circle, y)) {
            match nearest {
                Some(known) if known.distance <= hit.distance => {}
                _ => nearest = Some(hit),
            }
        }
        nearest.map_or(0.0, |hit| -hit.normal[0] / hit.distance)
    }
}

#[differentiate]
fn chosen(x: &[f64], k: i32) -> f64 {
    let last = x.last();
    (k > 0).then_some(1.0).unwrap_or(0.5) * x[0] + last.unwrap()
}

pub fn main() {
    let circles = [[5.0, 0.0, 1.0], [3.0, 0.0, 1.0], [2.0, 4.0, 1.0]];
    let (value, g) = rays::light::gradient(&circles, 0.0);
    assert!((value - 0.5).abs() < 1e-15);
    assert!((g.circles[1][0] + 0.25).abs() < 1e-15 && g.circles[0] == [0.0; 3]);
    assert_eq!(chosen::gradient(&[3.0, 2.0], 1).1.x, [1.0, 1.0]);
}
