"""The forecasting engine: numbers in, numbers out. No Flask, no SQL, no HTTP in this package."""
