//! The entry points of the other derivative modes, one thread or many as those of the gradient.

/// Directions or seeds in a batch: what `build.rs` asks for.
pub const WIDTH: usize = 8;

/// As [`super::entry_points`], of which it is a part.
macro_rules! entry_points {
    ($this:ident: $kernel:ident($($name:ident: $shape:ty = $len:expr),+; $($constant:expr),*)) => {
        fn jvp(&$this, p: &[f64], p_dot: &[f64]) -> (f64, f64) {
            $(
                let ($name, p) = p.split_at($len);
                let (part, p_dot) = p_dot.split_at($len);
                let $name = ($name, part);
            )+
            assert!(p.is_empty() && p_dot.is_empty());
            $kernel::jvp($(<$shape>::value($name.0), <$shape>::value($name.1),)+ $($constant),*)
        }

        fn hvp(&$this, p: &[f64], p_dot: &[f64], h: &mut [f64]) -> (f64, f64) {
            $(
                let ($name, p) = p.split_at($len);
                let (along, p_dot) = p_dot.split_at($len);
                let (part, h) = h.split_at_mut($len);
                let $name = ($name, along, part);
            )+
            assert!(p.is_empty() && p_dot.is_empty() && h.is_empty());
            $kernel::hvp(
                $(<$shape>::value($name.0), <$shape>::value($name.1), <$shape>::adjoint($name.2),)+
                $($constant),*
            )
        }

        fn jvp_batch(&$this, p: &[f64], p_dot: &[f64]) -> (f64, [f64; super::WIDTH]) {
            use super::batches::Batch;
            $(
                let ($name, p) = p.split_at($len);
                let (part, p_dot) = p_dot.split_at($len * super::WIDTH);
                let $name = ($name, part);
            )+
            assert!(p.is_empty() && p_dot.is_empty());
            $kernel::jvp_batch($(<$shape>::value($name.0), <$shape>::values($name.1),)+ $($constant),*)
        }

        fn vjp_batch(&$this, p: &[f64], g: &mut [f64], seed: [f64; super::WIDTH]) -> f64 {
            use super::batches::Batch;
            $(
                let ($name, p) = p.split_at($len);
                let (part, g) = g.split_at_mut($len * super::WIDTH);
                let $name = ($name, part);
            )+
            assert!(p.is_empty() && g.is_empty());
            $kernel::vjp_batch(
                $(<$shape>::value($name.0), <$shape>::adjoints($name.1),)+
                $($constant,)* seed
            )
        }

        fn sweeps(&$this) -> super::modes::Sweeps<'_> {
            let mut tape = $kernel::Tape::default();
            Box::new(move |p, g| {
                $(let ($name, p, g) = super::both(p, g, $len);)+
                assert!(p.is_empty() && g.is_empty());
                let value = $kernel::forward($(<$shape>::value($name.0),)+ $($constant,)* &mut tape);
                $kernel::backward(
                    $(<$shape>::value($name.0), <$shape>::adjoint($name.1),)+
                    $($constant,)* &tape, 1.0
                );
                value
            })
        }

        fn place(&$this, k: usize, member: usize) -> usize {
            use super::batches::Batch;
            let start = 0;
            $(
                let len = $len;
                if k < start + len {
                    return super::WIDTH * start + <$shape>::place(k - start, member);
                }
                let start = start + len;
            )+
            panic!("{k} is none of {start} parameters")
        }
    };
}
pub(super) use entry_points;

/// A value, and a gradient that is added to its second argument, by two calls around one tape.
pub type Sweeps<'a> = Box<dyn FnMut(&[f64], &mut [f64]) -> f64 + 'a>;
