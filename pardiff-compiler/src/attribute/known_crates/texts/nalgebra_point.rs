// Points of `nalgebra` 0.35.

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Own {
    pub coords: SMatrix<T, N, 1>,
}

impl Own {
    fn of(data: [T; N]) -> Own {
        Own { coords: SMatrix<T, N, 1>::of([data]) }
    }

    fn new(@(x#: T; ,)) -> Own {
        Own::of([@(x#; ,)])
    }

    fn origin() -> Own {
        Own::of([0.0; N])
    }

    fn from_slice(slice: &[T]) -> Own {
        Own::of([@(slice[#]; ,)])
    }

    fn from(coords: SMatrix<T, N, 1>) -> Own {
        Own { coords }
    }

    fn lerp(&self, rhs: &Own, t: T) -> Own {
        Own { coords: self.coords.lerp(&rhs.coords, t) }
    }

    // where 0 < N
    fn x(&self) -> &T {
        &self.coords.data.0[0][0]
    }

    // where 1 < N
    fn y(&self) -> &T {
        &self.coords.data.0[0][1]
    }

    // where 2 < N
    fn z(&self) -> &T {
        &self.coords.data.0[0][2]
    }

    // where 3 < N
    fn w(&self) -> &T {
        &self.coords.data.0[0][3]
    }
}

impl Neg for Own {
    fn neg(self) -> Own {
        Own { coords: -self.coords }
    }
}

impl Add<SMatrix<T, N, 1>> for Own {
    fn add(self, rhs: SMatrix<T, N, 1>) -> Own {
        Own { coords: self.coords + rhs }
    }
}

impl AddAssign<SMatrix<T, N, 1>> for Own {
    fn add_assign(&mut self, rhs: SMatrix<T, N, 1>) {
        self.coords += rhs;
    }
}

impl Sub<SMatrix<T, N, 1>> for Own {
    fn sub(self, rhs: SMatrix<T, N, 1>) -> Own {
        Own { coords: self.coords - rhs }
    }
}

impl SubAssign<SMatrix<T, N, 1>> for Own {
    fn sub_assign(&mut self, rhs: SMatrix<T, N, 1>) {
        self.coords -= rhs;
    }
}

impl Sub<Own> for Own {
    fn sub(self, rhs: Own) -> SMatrix<T, N, 1> {
        self.coords - rhs.coords
    }
}

impl Mul<T> for Own {
    fn mul(self, rhs: T) -> Own {
        Own { coords: self.coords * rhs }
    }
}

impl Mul<Own> for T {
    fn mul(self, rhs: Own) -> Own {
        Own { coords: self * rhs.coords }
    }
}

impl MulAssign<T> for Own {
    fn mul_assign(&mut self, rhs: T) {
        self.coords *= rhs;
    }
}

impl Div<T> for Own {
    fn div(self, rhs: T) -> Own {
        Own { coords: self.coords / rhs }
    }
}

impl DivAssign<T> for Own {
    fn div_assign(&mut self, rhs: T) {
        self.coords /= rhs;
    }
}

impl Mul<Own> for SMatrix<T, N, N> {
    fn mul(self, rhs: Own) -> Own {
        Own { coords: self * rhs.coords }
    }
}

impl Index<usize> for Own {
    fn index(&self, i: usize) -> &T {
        &self.coords.data.0[0][i]
    }
}
