"""Find the columns that have the dates of a table, or parts of them."""
