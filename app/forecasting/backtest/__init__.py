"""What the models would have forecast at the end of a series, compared with its values."""
