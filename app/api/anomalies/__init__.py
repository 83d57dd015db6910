"""POST /anomalies: one series in, its anomalies, events and change points out."""
