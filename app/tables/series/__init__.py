"""Make series of dated values: on a grid, with one value for each time."""
