use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    pub enum Phase {
        Solid,
        Liquid,
    }

    pub struct Cell {
        pub heat: f64,
        pub phase: Phase,
    }

    pub fn melt(cells: &mut [Cell]) {
        for cell in cells {
            if cell.heat > 1.0 {
                cell.phase = Phase::Liquid;
            }
        }
    }
}

fn main() {}
