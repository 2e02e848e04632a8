use pardiff::differentiate;

#[differentiate(check)]
pub fn for_ever(x: &'static [f64], n: &'static [usize], y: &'static mut [f64]) {
    for i in 0..n.len() {
        y[i] = x[n[i]];
    }
}

#[differentiate(check)]
mod options {
    pub enum Payoff {
        Call { strike: f64 },
        Digital(f64),
    }

    #[differentiate(wrt(spot))]
    pub fn price(spot: f64, payoff: Payoff) -> f64 {
        match payoff {
            Payoff::Call { strike } => spot - strike,
            Payoff::Digital(level) => spot * level,
        }
    }

    #[differentiate(wrt(spot))]
    pub fn borrowed(spot: f64, payoff: &Payoff) -> f64 {
        match payoff {
            Payoff::Call { strike } => spot - strike,
            Payoff::Digital(level) => spot * level,
        }
    }
}

#[differentiate(check(3))]
pub fn with_number(x: f64) -> f64 {
    x
}

fn main() {
    let _ = for_ever::check(&[], &[], &mut []);
    let _ = options::borrowed::check(1.0, &options::Payoff::Digital(0.0));
}
