"""The one shape of every response that is not 2xx, and what it says."""
