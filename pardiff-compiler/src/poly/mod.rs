//! What is known: affine forms, integer sets, accesses, dependences.
