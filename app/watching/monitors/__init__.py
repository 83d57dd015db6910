"""Monitors: named series of an account that learn from points and judge each on arrival."""
