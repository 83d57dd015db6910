"""Where counts are kept: a SQL database, Redis, or the memory of one process."""
