"""Find the header of a table and the names of its columns."""
