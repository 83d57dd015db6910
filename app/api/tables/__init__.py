"""POST /tables/forecast."""
