"""POST /anomalies."""
