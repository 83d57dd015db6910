"""ARMA models: their coefficients by conditional sum of squares, and their forecasts."""
