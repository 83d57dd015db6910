"""What the models would have forecast of the end of a series, held against what came."""
