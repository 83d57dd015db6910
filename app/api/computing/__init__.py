"""Run jobs of views in engine processes: one job, or one call with thousands of results."""
