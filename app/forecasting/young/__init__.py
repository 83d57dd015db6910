"""Young series: a learned prior over small Gaussian models, for histories of a few dozen points."""
