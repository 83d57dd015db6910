"""The columns of a series in a request's body."""
