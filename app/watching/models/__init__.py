"""The tables of monitors and sources."""
