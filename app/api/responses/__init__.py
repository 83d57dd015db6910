"""What clients get: JSON and headers."""
