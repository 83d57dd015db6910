"""What a series is before a model learns it: season, outliers, level shifts, transformations."""
