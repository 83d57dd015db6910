"""Benchmarks: accuracy and speed of the engine, and the calibration of its intervals."""
