"""What the worker does with monitors: overdue and muted ones, and limits reached ahead."""
