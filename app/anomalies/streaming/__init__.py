"""Detection of one point at a time: a bounded state a series, a verdict a point."""
