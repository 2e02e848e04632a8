//! The decisions in words, printed from the program that the back end obeys.
