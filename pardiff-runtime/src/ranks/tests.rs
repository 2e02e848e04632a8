//! What ranks as threads promise.

use super::datatype::{Partition, PartitionMut};
use super::point_to_point::send_receive_into;
use super::traits::*;
use super::{SystemOperation, Traffic, request, run, world};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What the panic says that ends all ranks.
fn panic_of(size: usize, rendezvous: bool, of: impl Fn(&super::SimpleCommunicator) + Sync) -> String {
    let world = if rendezvous { world(size).rendezvous() } else { world(size) };
    let panic = catch_unwind(AssertUnwindSafe(|| world.run(of))).expect_err("it panics");
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}

#[test]
fn a_ring_turns_once() {
    let ring = |world: &super::SimpleCommunicator| {
        let (rank, size) = (world.rank(), world.size());
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        let mut got = [0.0; 2];
        let send = [f64::from(rank), 0.5];
        send_receive_into(&send, &world.process_at_rank(next), &mut got, &world.process_at_rank(before));
        got[0]
    };
    for size in 1..5 {
        let (got, traffic) = world(size).rendezvous().run(ring);
        assert_eq!(got, (0..size).map(|rank| ((rank + size - 1) % size) as f64).collect::<Vec<_>>());
        assert_eq!(traffic, Traffic { messages: size, bytes: 16 * size });
    }
}

#[test]
fn operations_of_all_are_what_they_say() {
    let all = run(3, |world| {
        let mine = [f64::from(world.rank() + 1), 2.0];
        let root = world.process_at_rank(1);
        let (mut sum, mut least, mut all) = ([0.0; 2], [0.0; 2], [0.0; 6]);
        world.all_reduce_into(&mine, &mut sum, SystemOperation::sum());
        world.all_reduce_into(&mine, &mut least, SystemOperation::min());
        world.all_gather_into(&mine, &mut all);
        let mut shared = mine;
        root.broadcast_into(&mut shared);
        let (mut total, mut part) = ([0.0; 2], [0.0; 2]);
        match world.rank() == 1 {
            true => root.reduce_into_root(&mine, &mut total, SystemOperation::max()),
            false => root.reduce_into(&mine, SystemOperation::max()),
        }
        match world.rank() == 1 {
            true => root.scatter_into_root(&all, &mut part),
            false => root.scatter_into(&mut part),
        }
        let mut block = [0.0; 2];
        world.reduce_scatter_block_into(&all, &mut block, SystemOperation::sum());
        world.barrier();
        (sum, least, all, shared, total, part, block)
    });
    for (rank, (sum, least, all, shared, total, part, block)) in all.into_iter().enumerate() {
        let own = [rank as f64 + 1.0, 2.0];
        assert_eq!((sum, least, all), ([6.0, 6.0], [1.0, 2.0], [1.0, 2.0, 2.0, 2.0, 3.0, 2.0]));
        assert_eq!((shared, part), ([2.0, 2.0], own));
        assert_eq!(total, if rank == 1 { [3.0, 2.0] } else { [0.0; 2] });
        assert_eq!(block, [3.0 * own[0], 6.0]);
    }
}

#[test]
fn requests_match_in_the_order_in_which_they_begin() {
    let swapped = |world: &super::SimpleCommunicator| {
        let (rank, other) = (world.rank(), world.process_at_rank(1 - world.rank()));
        let (mut first, mut second) = ([0.0], 0.0);
        request::scope(|scope| {
            let a = other.immediate_receive_into(scope, &mut first);
            let sent = [f64::from(rank), 2.0];
            // it would wait for ever if nobody had begun to receive
            other.send(&sent[..1]);
            other.send(&7.5);
            other.immediate_receive_into(scope, &mut second).wait();
            a.wait();
        });
        (first[0], second)
    };
    // the second message waits where sending waits for its receiver
    assert_eq!(run(2, swapped), [(1.0, 7.5), (0.0, 7.5)]);
    let collected = |world: &super::SimpleCommunicator| {
        let (rank, size) = (world.rank(), world.size());
        let mut got = vec![0.0; size as usize];
        let own = f64::from(rank);
        request::multiple_scope(4, |scope, requests| {
            for (from, got) in got.iter_mut().enumerate() {
                requests.add(world.process_at_rank(from as i32).immediate_receive_into(scope, got));
            }
            for to in 0..size {
                let _waits = request::WaitGuard::from(world.process_at_rank(to).immediate_send(scope, &own));
            }
            let mut completed = Vec::new();
            requests.wait_all(&mut completed);
            assert_eq!(completed[1].1.source_rank(), 1);
            completed.iter().map(|it| *it.2).sum::<f64>()
        })
    };
    let (sums, traffic) = world(3).rendezvous().run(collected);
    assert_eq!((sums, traffic), (vec![3.0; 3], Traffic { messages: 9, bytes: 9 * 8 }));
    let text = panic_of(1, false, |world| {
        let one = 1.0;
        request::scope(|scope| {
            let _forgotten = world.this_process().immediate_send(scope, &one);
        });
    });
    assert!(text.contains("a request is dropped before it has ended"), "{text}");
}

#[test]
fn a_deadlock_says_who_waits_for_whom() {
    let crossed = |world: &super::SimpleCommunicator| {
        let other = world.process_at_rank(1 - world.rank());
        other.send_with_tag(&1.0, 7);
        let mut got = 0.0;
        other.receive_into_with_tag(&mut got, 7);
    };
    run(2, crossed);
    let text = panic_of(2, true, crossed);
    let (zero, one) =
        ("rank 0 waits for rank 1 to receive with tag 7", "rank 1 waits for rank 0 to receive with tag 7");
    assert!(text.contains("deadlock") && text.contains(zero) && text.contains(one), "{text}");
    let text = panic_of(2, false, |world| {
        if world.rank() == 0 {
            world.process_at_rank(1).receive_into(&mut 0.0);
        }
    });
    assert!(text.contains("rank 0 waits for a message of rank 1 with tag 0; rank 1 has ended"), "{text}");
}

#[test]
fn the_panic_of_one_rank_ends_all() {
    let text = panic_of(3, false, |world| {
        assert_ne!(world.rank(), 1, "out of range");
        world.barrier();
    });
    assert!(text.contains("out of range"), "{text}");
}

#[test]
fn lengths_types_and_ranks_must_fit() {
    let text = panic_of(2, false, |world| match world.rank() {
        0 => world.process_at_rank(1).send(&[1.0; 3]),
        _ => {
            world.process_at_rank(0).receive_into(&mut [0.0; 4]);
        }
    });
    let wanted = "rank 1: the message of rank 0 with tag 0 has 3 numbers of `f64`, and 4 numbers of `f64` are received";
    assert_eq!(text, wanted);
    let text = panic_of(2, false, |world| match world.rank() {
        0 => world.process_at_rank(1).send(&[1.0_f32; 4]),
        _ => {
            world.process_at_rank(0).receive_into(&mut [0.0_f64; 4]);
        }
    });
    assert!(text.contains("4 numbers of `f32`, and 4 numbers of `f64`"), "{text}");
    let text = panic_of(2, false, |world| world.process_at_rank(2).send(&1.0));
    assert!(text.contains("there is no rank 2 among 2"), "{text}");
    let text = panic_of(2, false, |world| match world.rank() {
        0 => world.barrier(),
        _ => world.all_reduce_into(&1.0, &mut 0.0, SystemOperation::sum()),
    });
    assert!(text.contains("rank 0 is in `barrier` with 0 numbers, rank 1 in `all_reduce` with 1"), "{text}");
}

#[test]
fn parts_may_differ_in_length() {
    let all = run(3, |world| {
        let (rank, root) = (world.rank(), world.process_at_rank(1));
        let (counts, displs) = ([1, 2, 3], [5, 0, 2]);
        let own = vec![f64::from(rank + 1); rank as usize + 1];
        let (mut all, mut at_root, mut back) = ([0.0; 6], [0.0; 6], own.clone());
        world.all_gather_varcount_into(&own, &mut PartitionMut::new(&mut all, counts, displs));
        if rank == 1 {
            root.gather_varcount_into_root(&own, &mut PartitionMut::new(&mut at_root, counts, displs));
            root.scatter_varcount_into_root(&Partition::new(&at_root, counts, displs), &mut back);
        } else {
            root.gather_varcount_into(&own);
            root.scatter_varcount_into(&mut back);
        }
        let mut crossed = vec![0.0; 3 * (rank as usize + 1)];
        let (sent, received) = ([0, 1, 3], [0, 1, 2].map(|from| from * (rank + 1)));
        let mut to = PartitionMut::new(&mut crossed[..], [rank + 1; 3], received);
        world.all_to_all_varcount_into(&Partition::new(&all, [1, 2, 3], sent), &mut to);
        (all, own == back, crossed)
    });
    for (rank, (all, is_back, crossed)) in all.into_iter().enumerate() {
        assert_eq!((all, is_back), ([2.0, 2.0, 3.0, 3.0, 3.0, 1.0], true));
        let part = [&[2.0][..], &[2.0, 3.0], &[3.0, 3.0, 1.0]][rank];
        assert_eq!(crossed, part.repeat(3));
    }
}

#[test]
fn scans_and_all_to_all_are_in_the_order_of_ranks() {
    let all = run(3, |world| {
        let rank = f64::from(world.rank());
        let (mut upto, mut before, mut got) = (0.0, -7.0, [0.0; 3]);
        world.scan_into(&(rank + 1.0), &mut upto, SystemOperation::sum());
        world.exclusive_scan_into(&(rank + 1.0), &mut before, SystemOperation::sum());
        world.all_to_all_into(&[rank, rank + 10.0, rank + 20.0], &mut got);
        let own = world.this_process();
        own.send(&[rank, 0.5]);
        let (received, status) = own.receive::<[f64; 2]>();
        assert_eq!((received, status.source_rank()), ([rank, 0.5], world.rank()));
        (upto, before, got)
    });
    let expected =
        [(1.0, -7.0, [0.0, 1.0, 2.0]), (3.0, 1.0, [10.0, 11.0, 12.0]), (6.0, 3.0, [20.0, 21.0, 22.0])];
    assert_eq!(all, expected);
}
