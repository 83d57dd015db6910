"""Find the names of the series in a table of several."""
