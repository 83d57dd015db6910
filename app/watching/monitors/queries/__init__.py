"""Read monitors: for clients, counts of activity, the quality of forecasts, and histories."""
