"""Find which rows are one table, and which of them count."""
