"""A unit of memory."""

MEBIBYTE = 2**20  # bytes
