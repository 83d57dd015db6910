"""Calendars: timestamps, their regular step, and the next ones.

Numpy carries the calendar: ``datetime64`` the dates, months and their lengths in the years 1 to
9999, ``busday_count`` and ``busday_offset`` the business days. Pandas has the same offsets and
would cost each worker 33 MB and each command, ``forecast-service keys list`` too, 0.4 s to import.
"""
