"""What engine processes compute besides one forecast: many windows, and chances of limits."""
