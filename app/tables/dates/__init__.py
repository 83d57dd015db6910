"""Dates as spreadsheets, databases and people write them."""
