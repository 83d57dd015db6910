"""What a calendar explains of a series: holidays, taken out before a model and put back after."""
