"""The univariate API of Azure's Anomaly Detector, which its maker has ended, at its own paths."""
