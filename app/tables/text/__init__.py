"""Turn bytes into text, and the lines of a text into the rows of a table."""
