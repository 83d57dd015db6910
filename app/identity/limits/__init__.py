"""Rate limits: whose requests are counted, how many are allowed, where the counts are kept."""
