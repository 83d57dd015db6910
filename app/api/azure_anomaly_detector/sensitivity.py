"""Azure's sensitivity as a false alarm rate."""

import numpy as np

# Its users know numbers from 0 to 99, of which 85 is usual (the default of Microsoft's own function
# for Kusto). That one is the usual rate of POST /anomalies; the ends are the least rate there and
# one point of a hundred. Between them a step multiplies the rate.
SENSITIVITIES = (0, 85, 99)
RATES = (0.0001, 0.001, 0.01)
USUAL_SENSITIVITY = 85
DIGITS = 3


def false_alarm_rate(sensitivity: int) -> float:
    """Return the false alarm rate of a sensitivity from 0 to 99, to three digits."""
    rate = np.exp(np.interp(sensitivity, SENSITIVITIES, np.log(RATES)))
    return float(f"{rate:.{DIGITS - 1}e}")
