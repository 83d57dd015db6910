"""The univariate API of Azure's Anomaly Detector, a retired service, at its own paths."""
