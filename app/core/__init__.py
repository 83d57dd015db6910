"""Shared by all packages above; imports none of them."""
