"""A unit of memory, and the range of ids."""

MEBIBYTE = 2**20  # bytes
MAX_ID = 2**31 - 1  # PostgreSQL's INTEGER
