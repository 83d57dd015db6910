"""How views reach engine processes: one job, or thousands of results in one call."""
