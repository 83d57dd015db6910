"""Webhooks: messages about events are queued in the database; a separate process sends them."""
