"""Usage over time: counted in memory, written every few seconds, shown by pages and commands."""
