"""Histories of a few dozen points: a learned prior over small Gaussian models."""
