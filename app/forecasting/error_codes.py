"""Error codes among the values of a series: -999, 9999 or the largest integer of a device.

Such a code means that a value could not be measured. As values far from all others may be real, it
must also be a known code, or one recurring negative number, and rare.
"""

import numpy as np

from app.timeseries.types import BoolArray, FloatArray

# Only nines, three to nine of them, with up to two decimals.
_NINES = [(10.0**digits - 1) / 10.0**decimals for digits in range(3, 10) for decimals in range(3)]
# The largest and the smallest integers of 16 and of 32 bits.
_INTEGER_LIMITS = [2.0**15 - 1, 2.0**15, 2.0**16 - 1, 2.0**31 - 1, 2.0**31, 2.0**32 - 1]
_CODES = np.array([*_NINES, *_INTEGER_LIMITS])
# At most one point in 20 is a code. Its distance from all other values is more than this many times
# their range.
_POINTS_PER_CODE = 20
_MIN_RANGES = 3.0


def find_error_codes(values: FloatArray) -> BoolArray:
    """Return which values are error codes, shape (n,).

    They are known codes, and a negative number that recurs in an otherwise non-negative series.
    """
    is_code = np.isin(np.abs(values), _CODES)
    negative = values[~is_code & (values < 0)]
    if len(negative) > 1 and negative.min() == negative.max():
        is_code |= values == negative[0]
    if 0 < is_code.sum() * _POINTS_PER_CODE <= len(values):
        codes, others = values[is_code], values[~is_code]
        beyond = np.maximum(others.min() - codes, codes - others.max())
        if (beyond > _MIN_RANGES * np.ptp(others)).all():
            return is_code
    return np.zeros(len(values), dtype=bool)
