"""Who calls, how much they may, and what is counted."""
