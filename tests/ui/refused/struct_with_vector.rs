use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub struct Model {
        pub weights: Vec<f64>,
        pub others: Vec<f64>,
        pub scale: f64,
    }

    #[derive(Clone, Copy)]
    pub enum Phase {
        Idle,
        Burn { rate: f64 },
    }

    pub struct Rocket {
        pub phase: Phase,
        pub log: Vec<f64>,
    }

    pub fn ignited(rocket: &Rocket, rate: f64) -> Rocket {
        Rocket { phase: Phase::Burn { rate }, log: rocket.log.clone() }
    }

    pub fn several(models: &mut [Rocket]) {
        models[0].phase = Phase::Idle;
    }

    #[differentiate(batch(4))]
    pub fn batched(model: &Model) -> f64 {
        model.weights[0]
    }

    pub fn pushed(model: &mut Model) {
        model.weights.push(model.scale);
    }

    pub fn resized(model: &mut Model) {
        model.weights.resize(3, 0.0);
    }

    pub fn cleared(model: &mut Model) {
        model.weights.clear();
    }

    pub fn truncated(model: &mut Model) {
        model.others.truncate(1);
    }
}

fn main() {}
