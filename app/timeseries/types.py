"""Types of arrays, and the largest value that they may have."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

MAX_MAGNITUDE = 1e100  # the largest absolute value of a series: squares of larger ones may overflow
