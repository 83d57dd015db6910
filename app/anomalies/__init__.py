"""Anomaly detection over arrays: bands with a known false alarm rate, events, change points."""
