// `num_complex::Complex<T>` 0.4, by the formulas of the crate. Its branches for numbers on an axis are left out: there the polar
// forms have the same values to rounding, and a derivative that holds across the axis too.

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Own {
    pub re: T,
    pub im: T,
}

impl Own {
    pub const ZERO: Own = Own { re: 0.0, im: 0.0 };
    pub const ONE: Own = Own { re: 1.0, im: 0.0 };
    pub const I: Own = Own { re: 0.0, im: 1.0 };

    fn new(re: T, im: T) -> Own {
        Own { re, im }
    }

    fn i() -> Own {
        Own { re: 0.0, im: 1.0 }
    }

    fn zero() -> Own {
        Own { re: 0.0, im: 0.0 }
    }

    fn one() -> Own {
        Own { re: 1.0, im: 0.0 }
    }

    fn is_zero(&self) -> bool {
        self.re == 0.0 && self.im == 0.0
    }

    fn norm_sqr(&self) -> T {
        self.re * self.re + self.im * self.im
    }

    fn scale(&self, t: T) -> Own {
        Own { re: self.re * t, im: self.im * t }
    }

    fn unscale(&self, t: T) -> Own {
        Own { re: self.re / t, im: self.im / t }
    }

    fn conj(&self) -> Own {
        Own { re: self.re, im: -self.im }
    }

    fn inv(&self) -> Own {
        let norm_sqr = self.norm_sqr();
        Own { re: self.re / norm_sqr, im: -self.im / norm_sqr }
    }

    fn l1_norm(&self) -> T {
        self.re.abs() + self.im.abs()
    }

    fn cis(phase: T) -> Own {
        Own { re: phase.cos(), im: phase.sin() }
    }

    fn norm(self) -> T {
        self.re.hypot(self.im)
    }

    fn arg(self) -> T {
        self.im.atan2(self.re)
    }

    fn to_polar(self) -> (T, T) {
        (self.re.hypot(self.im), self.im.atan2(self.re))
    }

    fn from_polar(r: T, theta: T) -> Own {
        Own { re: r * theta.cos(), im: r * theta.sin() }
    }

    fn exp(self) -> Own {
        let r = self.re.exp();
        Own { re: r * self.im.cos(), im: r * self.im.sin() }
    }

    fn exp2(self) -> Own {
        Own::from_polar(self.re.exp2(), self.im * std::T::consts::LN_2)
    }

    fn ln(self) -> Own {
        Own { re: self.re.hypot(self.im).ln(), im: self.im.atan2(self.re) }
    }

    fn log2(self) -> Own {
        self.ln().unscale(std::T::consts::LN_2)
    }

    fn log10(self) -> Own {
        self.ln().unscale(std::T::consts::LN_10)
    }

    fn log(self, base: T) -> Own {
        Own { re: self.norm().ln() / base.ln(), im: self.arg() / base.ln() }
    }

    fn sqrt(self) -> Own {
        let (r, theta) = self.to_polar();
        Own::from_polar(r.sqrt(), theta / 2.0)
    }

    fn cbrt(self) -> Own {
        let (r, theta) = self.to_polar();
        Own::from_polar(r.cbrt(), theta / 3.0)
    }

    fn powf(self, exp: T) -> Own {
        let (r, theta) = self.to_polar();
        Own::from_polar(r.powf(exp), theta * exp)
    }

    fn powc(self, exp: Own) -> Own {
        if self.is_zero() && exp.is_zero() {
            return Own { re: 1.0, im: 0.0 };
        }
        (exp * self.ln()).exp()
    }

    fn expf(self, base: T) -> Own {
        Own::from_polar(base.powf(self.re), self.im * base.ln())
    }

    fn powu(&self, exp: u32) -> Own {
        let mut power = Own { re: 1.0, im: 0.0 };
        for _ in 0..exp {
            power = power * *self;
        }
        power
    }

    fn powi(&self, exp: i32) -> Own {
        let base = if exp < 0 { self.inv() } else { *self };
        let mut power = Own { re: 1.0, im: 0.0 };
        for _ in 0..exp.unsigned_abs() {
            power = power * base;
        }
        power
    }

    fn sin(self) -> Own {
        Own { re: self.re.sin() * self.im.cosh(), im: self.re.cos() * self.im.sinh() }
    }

    fn cos(self) -> Own {
        Own { re: self.re.cos() * self.im.cosh(), im: -self.re.sin() * self.im.sinh() }
    }

    fn tan(self) -> Own {
        let (re, im) = (self.re + self.re, self.im + self.im);
        Own { re: re.sin(), im: im.sinh() }.unscale(re.cos() + im.cosh())
    }

    fn sinh(self) -> Own {
        Own { re: self.re.sinh() * self.im.cos(), im: self.re.cosh() * self.im.sin() }
    }

    fn cosh(self) -> Own {
        Own { re: self.re.cosh() * self.im.cos(), im: self.re.sinh() * self.im.sin() }
    }

    fn tanh(self) -> Own {
        let (re, im) = (self.re + self.re, self.im + self.im);
        Own { re: re.sinh(), im: im.sin() }.unscale(re.cosh() + im.cos())
    }

    fn asin(self) -> Own {
        -Own::I * ((Own::ONE - self * self).sqrt() + Own::I * self).ln()
    }

    fn acos(self) -> Own {
        -Own::I * (Own::I * (Own::ONE - self * self).sqrt() + self).ln()
    }

    fn asinh(self) -> Own {
        (self + (Own::ONE + self * self).sqrt()).ln()
    }

    fn acosh(self) -> Own {
        (((self + Own::ONE) / 2.0).sqrt() + ((self - Own::ONE) / 2.0).sqrt()).ln() * 2.0
    }

    fn atan(self) -> Own {
        ((Own::ONE + Own::I * self).ln() - (Own::ONE - Own::I * self).ln()) / (Own::I * 2.0)
    }

    fn atanh(self) -> Own {
        ((Own::ONE + self).ln() - (Own::ONE - self).ln()) / 2.0
    }

    fn finv(self) -> Own {
        let norm = self.norm();
        self.conj() / norm / norm
    }

    fn fdiv(self, other: Own) -> Own {
        self * other.finv()
    }

    fn mul_add(self, other: Own, add: Own) -> Own {
        Own {
            re: self.re.mul_add(other.re, add.re) - self.im * other.im,
            im: self.re.mul_add(other.im, self.im.mul_add(other.re, add.im)),
        }
    }

    fn is_nan(self) -> bool {
        self.re.is_nan() || self.im.is_nan()
    }

    fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
}

impl Add<Own> for Own {
    fn add(self, other: Own) -> Own {
        Own { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub<Own> for Own {
    fn sub(self, other: Own) -> Own {
        Own { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul<Own> for Own {
    fn mul(self, other: Own) -> Own {
        Own { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Div<Own> for Own {
    fn div(self, other: Own) -> Own {
        let norm_sqr = other.norm_sqr();
        let re = self.re * other.re + self.im * other.im;
        let im = self.im * other.re - self.re * other.im;
        Own { re: re / norm_sqr, im: im / norm_sqr }
    }
}

impl Neg for Own {
    fn neg(self) -> Own {
        Own { re: -self.re, im: -self.im }
    }
}

impl Add<T> for Own {
    fn add(self, other: T) -> Own {
        Own { re: self.re + other, im: self.im }
    }
}

impl Sub<T> for Own {
    fn sub(self, other: T) -> Own {
        Own { re: self.re - other, im: self.im }
    }
}

impl Mul<T> for Own {
    fn mul(self, other: T) -> Own {
        Own { re: self.re * other, im: self.im * other }
    }
}

impl Div<T> for Own {
    fn div(self, other: T) -> Own {
        Own { re: self.re / other, im: self.im / other }
    }
}

impl Add<Own> for T {
    fn add(self, other: Own) -> Own {
        Own { re: self + other.re, im: other.im }
    }
}

impl Sub<Own> for T {
    fn sub(self, other: Own) -> Own {
        Own { re: self - other.re, im: 0.0 - other.im }
    }
}

impl Mul<Own> for T {
    fn mul(self, other: Own) -> Own {
        Own { re: self * other.re, im: self * other.im }
    }
}

impl Div<Own> for T {
    fn div(self, other: Own) -> Own {
        let norm_sqr = other.norm_sqr();
        Own { re: self * other.re / norm_sqr, im: 0.0 - self * other.im / norm_sqr }
    }
}

impl AddAssign<Own> for Own {
    fn add_assign(&mut self, other: Own) {
        self.re += other.re;
        self.im += other.im;
    }
}

impl SubAssign<Own> for Own {
    fn sub_assign(&mut self, other: Own) {
        self.re -= other.re;
        self.im -= other.im;
    }
}

impl MulAssign<Own> for Own {
    fn mul_assign(&mut self, other: Own) {
        *self = *self * other;
    }
}

impl DivAssign<Own> for Own {
    fn div_assign(&mut self, other: Own) {
        *self = *self / other;
    }
}

impl AddAssign<T> for Own {
    fn add_assign(&mut self, other: T) {
        self.re += other;
    }
}

impl SubAssign<T> for Own {
    fn sub_assign(&mut self, other: T) {
        self.re -= other;
    }
}

impl MulAssign<T> for Own {
    fn mul_assign(&mut self, other: T) {
        self.re *= other;
        self.im *= other;
    }
}

impl DivAssign<T> for Own {
    fn div_assign(&mut self, other: T) {
        self.re /= other;
        self.im /= other;
    }
}

impl Sum<Own> for Own {
    fn sum<I: Iterator<Item = Own>>(iter: I) -> Own {
        iter.fold(Own { re: 0.0, im: 0.0 }, |a, b| a + b)
    }
}

impl Product<Own> for Own {
    fn product<I: Iterator<Item = Own>>(iter: I) -> Own {
        iter.fold(Own { re: 1.0, im: 0.0 }, |a, b| a * b)
    }
}

impl From<T> for Own {
    fn from(re: T) -> Own {
        Own { re, im: 0.0 }
    }
}
