"""Monitors in rows: their detectors, points, events, messages and webhooks."""
