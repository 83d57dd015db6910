"""How a request's body holds one series."""
