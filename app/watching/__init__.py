"""Monitors, and the sources whose queries feed them."""
