"""Members: one forecasting method a file, all behind one signature (``types.Member``)."""
