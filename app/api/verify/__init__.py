"""GET /verify: what a key may do and how much of its limit is left."""
