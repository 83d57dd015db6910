"""Benchmarks: accuracy and speed of the engine, and the calibration of its intervals."""

import os

# As in production: one thread of linear algebra for each process. numpy reads this when it loads.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
