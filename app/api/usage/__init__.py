"""GET /usage: the calls of an account over time."""
