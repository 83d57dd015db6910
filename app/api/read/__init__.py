"""POST /read: a file with a table in; its series, and what the table leaves open, out."""
