"""Webhooks: events of monitors, signed and sent to whom an account names."""
