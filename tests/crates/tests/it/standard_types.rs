//! `char` and `NonZeroU8` and its like.

use pardiff::differentiate;
use std::num::{NonZero, NonZeroU16, NonZeroU32, NonZeroUsize};

#[differentiate(check)]
fn by_letter(x: f64, letter: char) -> f64 {
    let bands = ['C', 'D', 'V', 'X'];
    let band = bands[(x * 2.0) as usize];
    let scale = if band == 'V' || band < 'D' { 0.5 } else { f64::from(letter as u32) * 1e-2 };
    scale * x
        + match letter {
            's' => x.sin(),
            'a'..='f' => x * x,
            '+' | '-' => 2.0 * x,
            _ if letter.to_ascii_uppercase() as u32 == 81 => 7.0 * x,
            other => (other as u8 as char).to_ascii_lowercase() as u32 as f64 * x * x,
        }
}

#[differentiate(check)]
fn classes(x: f64, letter: char) -> f64 {
    let mut y = x;
    for (at, is) in [
        letter.is_ascii(),
        letter.is_ascii_digit(),
        letter.is_ascii_uppercase(),
        letter.is_ascii_lowercase(),
        letter.is_ascii_alphabetic(),
        letter.is_ascii_alphanumeric(),
        letter.eq_ignore_ascii_case(&'k'),
    ]
    .into_iter()
    .enumerate()
    {
        if is {
            y += x.powi(at as i32 + 1);
        }
    }
    y
}

#[differentiate(check)]
fn mean(x: &[f64], n: NonZeroUsize, parts: &[char]) -> f64 {
    let mut sum = 0.0;
    for i in 0..n.get() {
        if parts[i] != '-' {
            sum += x[i] * x[i];
        }
    }
    let weight: u32 = NonZeroU32::new(3).unwrap().into();
    sum / n.get() as f64 * f64::from(weight)
}

#[differentiate(check)]
mod integration {
    use std::num::{NonZero, NonZeroU16};

    #[derive(Clone)]
    pub struct Options {
        pub steps: Option<NonZeroU16>,
        pub scale: Option<f64>,
        pub letter: char,
        pub order: NonZero<u8>,
    }

    #[derive(Clone)]
    pub struct Rule {
        pub degree: NonZeroU16,
    }

    impl Rule {
        pub fn of_cubes(&self, a: f64, b: f64) -> f64 {
            let h = (b - a) / f64::from(self.degree.get());
            (1..self.degree.get()).map(|i| (a + f64::from(i) * h).powi(3)).sum::<f64>() * h
        }
    }

    pub fn relaxed(options: &Options, x: f64) -> f64 {
        let steps: u16 = options.steps.unwrap_or(NonZeroU16::new(4).unwrap()).into();
        let mut y = x;
        for _ in 0..steps {
            y = y * 0.5 + y * y * 0.1;
        }
        if options.letter == 'a' {
            y += x;
        }
        y * options.scale.unwrap_or(2.0) * f64::from(options.order.get())
    }

    /// A part of a known result, by its letter.
    pub fn in_zone(x: f64, letter: char) -> Result<(f64, char), String> {
        if letter < 'A' {
            return Err("no zone".to_owned());
        }
        Ok((if letter >= 'N' { x * x } else { x }, letter))
    }
}

#[test]
fn characters_choose() {
    for letter in ['s', 'b', '+', 'z', 'q', 'Q', 'K', '7', 'ä'] {
        for x in [0.3, 0.6, 1.2, 1.7] {
            assert_eq!(by_letter::value(x, letter), by_letter(x, letter));
            by_letter::check(x, letter).unwrap();
        }
        assert_eq!(classes::value(0.4, letter), classes(0.4, letter));
        classes::check(0.4, letter).unwrap();
    }
    integration::in_zone::check(0.4, 'P').unwrap();
    assert_eq!(integration::in_zone::value(0.4, 'C'), Ok((0.4, 'C')));
    assert!(integration::in_zone::value(0.4, '!').is_err());
}

#[test]
fn numbers_that_are_not_zero_count() {
    mean::check(&[0.3, 0.5, 0.7], NonZeroUsize::new(2).unwrap(), &['a', '-']).unwrap();
    let options =
        integration::Options { steps: None, scale: Some(0.3), letter: 'a', order: NonZero::new(3).unwrap() };
    integration::relaxed::check(&options, 0.4).unwrap();
    let options = integration::Options { steps: NonZeroU16::new(2), ..options };
    let (value, gradient) = integration::relaxed::gradient(&options, 0.4);
    assert_eq!(value, integration::relaxed(&options, 0.4));
    assert!((gradient.options.scale.unwrap() - value / 0.3).abs() < 1e-12);
    let rule = integration::Rule { degree: NonZeroU16::new(5).unwrap() };
    integration::rule::of_cubes::check(&rule, 0.1, 0.9).unwrap();
}
