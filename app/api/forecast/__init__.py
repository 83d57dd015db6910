"""POST /forecast: one series in, a median and a prediction interval out."""
