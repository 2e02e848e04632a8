//! Reverse mode: activity, needed values and where they come from, reversal.
