"""What a series is: values on the grid of a calendar; and what its phases and bounds are."""
