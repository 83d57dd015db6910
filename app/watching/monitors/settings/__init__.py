"""What clients send and get of monitors: limits, settings, states, records and errors."""
