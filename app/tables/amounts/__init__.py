"""Give signs to amounts of money that have none."""
