"""Counts and numbers in words, and truncated text."""

_MAX_FIXED_NUMBER, _MIN_FIXED_NUMBER = 1e15, 1e-4  # bounds beyond which numbers have an exponent


def count_of(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def truncated(text: str, max_length: int) -> str:
    """Return the text, cut to ``max_length`` characters, the last of them an ellipsis."""
    return text if len(text) <= max_length else f"{text[: max_length - 1]}…"


def short_number(value: float) -> str:
    """Return a number with six significant digits and separated thousands."""
    short = f"{value:.6g}"
    is_usual = value == 0 or _MIN_FIXED_NUMBER <= abs(value) < _MAX_FIXED_NUMBER
    return f"{float(short):,}".removesuffix(".0") if is_usual else short
