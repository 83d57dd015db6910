"""Tables that translate digits; without pandas, which names of months do not need."""

_ZEROS = "０٠۰०০੦૦୦௦౦೦൦๐"
# Digits of other scripts, as digits of ASCII.
PLAIN_DIGITS = {ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)}
# The form of a cell: all of its digits as zeros.
DIGITS_AS_ZEROS = str.maketrans("123456789", "000000000")
