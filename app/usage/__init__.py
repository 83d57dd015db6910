"""Usage over time: counted in memory, written every few seconds, read by pages and commands."""
