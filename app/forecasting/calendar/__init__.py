"""Calendars: timestamps read, the regular step that they keep, and those that come next."""
