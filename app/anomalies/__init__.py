"""Anomaly detection over arrays: bands whose false alarm rate holds, events and change points."""
