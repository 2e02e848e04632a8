//! Runs a program over plain numbers, dual numbers, or integers modulo a prime.
