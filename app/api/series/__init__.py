"""How a body holds one series, whatever is to be done with it."""
