"""What known columns explain of a series: taken out before a model and put back after."""
