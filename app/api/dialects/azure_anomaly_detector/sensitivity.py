"""Azure's sensitivity as a false alarm rate."""

import numpy as np

# Its users know numbers from 0 to 99, with 85 as the usual one (the default of Microsoft's function
# for Kusto). It maps to the default rate of POST /anomalies; the ends are the least rate there and
# one point in a hundred. In between, each step multiplies the rate.
SENSITIVITIES = (0, 85, 99)
RATES = (0.0001, 0.001, 0.01)
DEFAULT_SENSITIVITY = 85
DIGITS = 3


def false_alarm_rate(sensitivity: int) -> float:
    """Return the false alarm rate for a sensitivity from 0 to 99, to three digits."""
    rate = np.exp(np.interp(sensitivity, SENSITIVITIES, np.log(RATES)))
    return float(f"{rate:.{DIGITS - 1}e}")
