use pardiff::differentiate;

#[differentiate]
pub fn independent(x: &[f64], y: &mut [f64]) {
    #[checkpoint]
    for i in 0..x.len() {
        y[i] = x[i].sin();
    }
}

#[differentiate]
pub fn inside(x: &mut [f64], n: usize, often: bool) {
    for _ in 0..n {
        if often {
            #[checkpoint]
            for _ in 0..n {
                for i in 1..x.len() {
                    x[i] = (x[i] * x[i - 1]).sin();
                }
            }
        }
    }
}

#[differentiate]
pub fn limited(x: &mut [f64], n: usize) {
    #[checkpoint(memory = 1000)]
    for _ in 0..n {
        #[checkpoint]
        for _ in 0..n {
            for i in 1..x.len() {
                x[i] = (x[i] * x[i - 1]).sin();
            }
        }
    }
}

#[differentiate]
pub fn stepped(x: &mut [f64], n: usize) {
    #[checkpoint(every = 10)]
    for _ in (0..n).step_by(2) {
        for i in 1..x.len() {
            x[i] = (x[i] * x[i - 1]).sin();
        }
    }
}

#[differentiate]
pub fn stored(x: &[f64], y: &mut [f64], n: usize) {
    #[checkpoint]
    #[store]
    for i in 0..x.len() {
        let mut s = x[i];
        for _ in 0..n {
            s = (s * x[i]).sin();
        }
        y[i] = s;
    }
}

#[differentiate]
pub fn linear(x: &mut [f64], n: usize) {
    #[checkpoint]
    for _ in 0..n {
        for i in 1..x.len() {
            x[i] += 0.5 * x[i - 1];
        }
    }
}

#[differentiate]
pub fn until(x: &mut [f64]) {
    #[checkpoint(every = 10)]
    while x[0] > 1.0 {
        x[0] = x[0].sqrt();
    }
}

#[differentiate]
pub fn every(x: &mut [f64], n: usize) {
    #[checkpoint(steps = n)]
    for _ in 0..n {
        x[0] = x[0].sqrt();
    }
}

#[differentiate]
pub fn variable(x: &mut [f64], n: usize) {
    #[checkpoint(states = n + 1)]
    for _ in 0..n {
        x[0] = x[0].sqrt();
    }
}

#[differentiate]
pub fn zero(x: &mut [f64], n: usize) {
    #[checkpoint(binomial = 3 - 3)]
    for _ in 0..n {
        x[0] = x[0].sqrt();
    }
}

#[differentiate]
pub fn levels(x: &mut [f64], n: usize) {
    #[checkpoint(binomial = 3, levels = 2)]
    for _ in 0..n {
        x[0] = x[0].sqrt();
    }
}

#[differentiate(split)]
pub fn apart(x: &mut [f64], n: usize) {
    #[checkpoint(binomial = 3)]
    for _ in 0..n {
        for i in 1..x.len() {
            x[i] = (x[i] * x[i - 1]).sin();
        }
    }
}

#[differentiate]
pub fn left(x: &mut [f64], n: usize) {
    #[checkpoint(every = 10)]
    for _ in 0..n {
        x[0] = x[0].sqrt();
        if x[0] < 1.5 {
            break;
        }
    }
}

#[differentiate]
pub fn grows(x: &mut [f64], n: usize) {
    #[checkpoint(memory = 1000)]
    for _ in 0..n {
        while x[0] > 1.5 {
            x[0] = x[0].sqrt();
        }
        x[0] *= 2.0;
    }
}

fn main() {}
