"""Backups of the database, restores, and moves between SQLite and PostgreSQL."""
