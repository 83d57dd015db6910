"""Webhooks: an event's message waits in the database, and one process sends it, signed."""
