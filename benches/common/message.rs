//! A case as other programs are given it.

use pardiff_workloads::cases::{Constants, Workload};

/// A case as bytes: sizes; the number of index arrays, and each; the number of arrays of floats, and each; parameters.
/// Every array is its length and its elements, eight bytes each.
pub fn case_message(workload: &dyn Workload) -> Vec<u8> {
    let Constants { sizes, indices, floats } = workload.constants();
    let mut message = Vec::new();
    let mut array = |len: usize, words: &mut dyn Iterator<Item = u64>| {
        message.extend((len as u64).to_le_bytes());
        words.for_each(|word| message.extend(word.to_le_bytes()));
    };
    array(sizes.len(), &mut sizes.iter().map(|&size| size as u64));
    array(indices.len(), &mut std::iter::empty());
    for part in &indices {
        array(part.len(), &mut part.iter().map(|&index| u64::from(index)));
    }
    array(floats.len(), &mut std::iter::empty());
    for part in &floats {
        array(part.len(), &mut part.iter().map(|x| x.to_bits()));
    }
    let parameters = workload.parameters();
    array(parameters.len(), &mut parameters.iter().map(|x| x.to_bits()));
    message
}
