"""Monitors: named series of an account that learn as points arrive, and judge each at once."""
