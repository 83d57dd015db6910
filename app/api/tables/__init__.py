"""POST /tables/forecast: a table in as a file; the forecast of each of its series out as one."""
