"""Faults in a simulated shop of 60 series: which alert, how soon, and what alerts on calm days."""
