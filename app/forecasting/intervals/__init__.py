"""Prediction intervals: how wide, for any confidence."""
