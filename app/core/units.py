"""Units of memory."""

MEBIBYTE = 2**20  # bytes
