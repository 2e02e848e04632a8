//! Operations whose parts differ in length, scans, and messages that are received as values, one in each function, by
//! the names that the crate `mpi` has: the tests over that crate run this file as it is.

use pardiff::differentiate;

#[differentiate(forward)]
pub mod operations {
    use crate::mpi::collective::SystemOperation;
    use crate::mpi::datatype::{Partition, PartitionMut};
    use crate::mpi::point_to_point as p2p;
    use crate::mpi::traits::*;
    use crate::mpi::{Count, Rank};

    /// Where parts begin that lie behind each other.
    fn starts(counts: &[Count]) -> Vec<Count> {
        let mut at = vec![0; counts.len()];
        for k in 1..counts.len() {
            at[k] = at[k - 1] + counts[k - 1];
        }
        at
    }

    /// One, two or three numbers of each rank.
    fn counts(size: Rank, shift: Rank) -> Vec<Count> {
        (0..size).map(|rank| 1 + (rank + shift) % 3).collect()
    }

    pub fn gathered_by_all(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
        let (rank, size) = (world.rank(), world.size());
        let counts = counts(size, 0);
        let displs = starts(&counts);
        let own = counts[rank as usize] as usize;
        let mut all = vec![0.0; counts.iter().sum::<i32>() as usize];
        {
            let mut parts = PartitionMut::new(&mut all[..], counts, &displs[..]);
            world.all_gather_varcount_into(&x[..own], &mut parts);
        }
        for (k, number) in all.iter().enumerate() {
            y[k % 5] += number * number * f64::from(rank + 1);
        }
    }

    /// A number of each rank, the last one first.
    pub fn gathered_numbers(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
        let size = world.size() as usize;
        let displs: Vec<i32> = (0..world.size()).rev().collect();
        let mut all = vec![0.0; size];
        let mut parts = PartitionMut::new(&mut all[..], vec![1; size], displs);
        world.all_gather_varcount_into(&x[1], &mut parts);
        y[0] = all[0] * x[0];
    }

    pub fn through_a_root_in_parts(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
        let (rank, size) = (world.rank(), world.size());
        let counts = counts(size, 1);
        let displs = starts(&counts);
        let own = counts[rank as usize] as usize;
        let root = world.process_at_rank(size - 1);
        if rank == size - 1 {
            let mut all = vec![0.0; counts.iter().sum::<i32>() as usize];
            root.gather_varcount_into_root(
                &x[..own],
                &mut PartitionMut::new(&mut all[..], &counts[..], &displs[..]),
            );
            for k in 1..all.len() {
                all[k] = all[k] * all[k - 1] + 0.1 * k as f64;
            }
            let parts = Partition::new(&all[..], &counts[..], &displs[..]);
            root.scatter_varcount_into_root(&parts, &mut y[..own]);
        } else {
            root.gather_varcount_into(&x[..own]);
            root.scatter_varcount_into(&mut y[..own]);
        }
    }

    pub fn all_to_all(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
        let size = world.size() as usize;
        let mut sent = vec![0.0; 2 * size];
        let mut received = vec![0.0; 2 * size];
        for k in 0..2 * size {
            sent[k] = x[k % 5] * x[0] * (1 + k) as f64;
        }
        world.all_to_all_into(&sent[..], &mut received[..]);
        for k in 0..2 * size {
            y[k % 5] += received[k] * f64::from(world.rank() + 1);
        }
    }

    /// Between some ranks nothing is sent.
    pub fn all_to_all_in_parts(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
        let (rank, size) = (world.rank(), world.size());
        let sent_counts: Vec<Count> = (0..size).map(|to| (rank + 2 * to + 1) % 3).collect();
        let received_counts: Vec<i32> = (0..size).map(|from| (from + 2 * rank + 1) % 3).collect();
        let sum: i32 = sent_counts.iter().sum();
        let sent: Vec<f64> = (0..sum as usize).map(|k| x[k % 5] * (1 + k) as f64).collect();
        let mut received = vec![0.0; received_counts.iter().sum::<i32>() as usize];
        let (from, to) = (starts(&sent_counts), starts(&received_counts));
        world.all_to_all_varcount_into(
            &Partition::new(&sent[..], sent_counts, from),
            &mut PartitionMut::new(&mut received[..], received_counts, to),
        );
        for (k, number) in received.iter().enumerate() {
            y[k % 5] += number * x[4];
        }
        y[0] += x[0];
    }

    /// The first rank keeps what it has where it receives nothing.
    pub fn scans(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
        world.scan_into(&x[..2], &mut y[..2], SystemOperation::sum());
        let mut before = [0.0; 2];
        world.exclusive_scan_into(&x[2..4], &mut before[..], SystemOperation::sum());
        if world.rank() == 0 {
            before = [x[4]; 2];
        }
        y[2] = before[0] * before[1];
    }

    pub fn received_as_values(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
        let (rank, size) = (world.rank(), world.size());
        if rank > 0 {
            let (first, _status) = world.process_at_rank(rank - 1).receive::<f64>();
            y[0] = first * x[4];
            (y[1], _) = world.process_at_rank(rank - 1).receive_with_tag(4);
        }
        if rank + 1 < size {
            let next = world.process_at_rank(rank + 1);
            next.send(&(x[0] + y[0] * x[1]));
            next.send_with_tag(&x[2], 4);
        }
        y[2] = x[3];
    }

    pub fn exchanged_as_values(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
        let (rank, size) = (world.rank(), world.size());
        let next = world.process_at_rank((rank + 1) % size);
        let before = world.process_at_rank((rank + size - 1) % size);
        let (got, _): (f64, _) = p2p::send_receive(&(x[0] * x[1]), &next, &before);
        y.copy_from_slice(x);
        p2p::send_receive_replace_into(&mut y[1..4], &next, &before);
        y[0] = got * y[1];
    }
}
