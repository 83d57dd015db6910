"""Digits of other scripts as those of ASCII; without pandas, which names of months do not need."""

_ZEROS = "０٠۰०০੦૦୦௦౦೦൦๐"
PLAIN_DIGITS = {ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)}
