"""What the packages above it share: settings, logs, metrics, the machine, the database, HTTP."""
