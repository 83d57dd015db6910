"""Units in the cells of a column."""
