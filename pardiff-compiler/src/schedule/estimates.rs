//! What the schemes of a summation cost beside each other, for people: the two cheapest stand in the plan.
//!
//! *Comes in*: a parallel loop and how its summations are done. *Goes out*: of each of these, its cheapest two schemes with
//! their prices. *Never*: decides anything. Sizes that are not known are taken to be 1000, as wherever something is decided
//! before sizes are known; what is decided when the program runs may come out otherwise, and the versions say so.
//!
//! Prices are additions besides those of the loop itself: to zero and to merge copies, to find windows, to count and to sort
//! updates. Two turns of chunks cost as much as finding their windows. In order, nothing is added, but nothing runs beside anything else either: its price is the work of the loop.

use super::cost::{self, Costs, trip_count};
use super::footprint;
use super::inverse::Inverse;
use super::sizes::loops_of_tasks;
use super::summation::{Means, Summation};
use crate::ir::{BufferId, Expr, For, Program};

/// Where the schemes of summations are compared.
pub(super) struct At<'a> {
    pub(super) program: &'a Program,
    pub(super) each: &'a For,
    /// The work of an iteration.
    pub(super) iteration: &'a Expr,
    pub(super) inverse: Option<&'a Inverse>,
    pub(super) colours: &'a [BufferId],
    pub(super) costs: &'a Costs,
}

/// A scheme and its price.
struct Estimate {
    scheme: &'static str,
    additions: f64,
}

impl At<'_> {
    /// The two cheapest schemes of each summation, in words.
    pub(super) fn estimates(&self, sums: &[Summation]) -> Vec<(BufferId, String)> {
        sums.iter().map(|sum| (sum.buffer, self.cheapest(sum))).collect()
    }

    fn cheapest(&self, sum: &Summation) -> String {
        let mut all = self.candidates(sum);
        all.sort_by(|a, b| a.additions.total_cmp(&b.additions));
        let words: Vec<String> =
            all.iter().take(2).map(|it| format!("{} {:.0e}", it.scheme, it.additions)).collect();
        words.join(", ")
    }

    fn candidates(&self, sum: &Summation) -> Vec<Estimate> {
        let At { program, each, iteration, inverse, colours, costs } = *self;
        let trips = cost::nominal(&trip_count(each));
        let work = trips * cost::nominal(iteration);
        let mut all = vec![Estimate { scheme: "in order", additions: work }];
        let mut add = |scheme, additions| all.push(Estimate { scheme, additions });
        match &sum.means {
            Means::Scalars(elements) => {
                let chunks = chunks(work, costs.grain as f64, costs.most_chunks);
                add("a part a chunk", chunks * elements.len() as f64);
            }
            Means::Colours => {}
            Means::Copies(size) | Means::Windows(size) => {
                let copy = cost::nominal(size) * costs.copied_element as f64;
                let turns = loops_of_tasks(std::slice::from_ref(sum)) as f64;
                add("copies", copies(work, copy, turns, costs) * copy);
                if let Some(scan) = footprint::can_scan(program, each, sum.buffer) {
                    // the windows of all chunks are about one array
                    add("windows", copy + trips * cost::nominal_work(&scan));
                }
            }
        }
        if colours.contains(&sum.buffer)
            && let Some(scan) = footprint::slice(program, each, sum.buffer)
        {
            add("block colouring", trips * cost::nominal_work(&scan));
        }
        if let Some(inverse) = inverse.filter(|inverse| inverse.gathers(sum.buffer)) {
            add("an inverse index", cost::nominal(&inverse.price(program, each)));
        }
        all
    }
}

/// The number of chunks of so much work, each of at least so much.
fn chunks(work: f64, least: f64, most: usize) -> f64 {
    (work / least + 1.0).floor().min(most as f64)
}

/// The number of chunks of a loop whose chunks have copies, as [`super::chunks`] computes it from sizes.
fn copies(work: f64, copy: f64, turns: f64, costs: &Costs) -> f64 {
    let grain = costs.grain as f64 * turns;
    let worth = chunks(work, grain + copy, costs.least_copies);
    chunks(work, grain + costs.copies_beside as f64 * copy, costs.most_copies).max(worth)
}
