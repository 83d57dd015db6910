"""Units of memory, the range of ids, and counts in words."""

MEBIBYTE = 2**20  # bytes
MAX_ID = 2**31 - 1  # PostgreSQL's INTEGER


def count_of(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
