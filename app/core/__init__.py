"""What every package above may use: settings, logs, the database, HTTP."""
