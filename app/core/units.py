"""A unit of memory, and the range of ids and other integers."""

MEBIBYTE = 2**20  # bytes
MAX_INT32 = 2**31 - 1  # also of PostgreSQL's INTEGER
MAX_ID = MAX_INT32
