"""The range of ids and of other integers of the database."""

MAX_INT32 = 2**31 - 1  # of PostgreSQL's INTEGER
MAX_ID = MAX_INT32
