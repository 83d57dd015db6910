"""The pages of sources and their queries."""
