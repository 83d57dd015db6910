"""Detection one point at a time: a bounded state per series, a verdict per point."""
