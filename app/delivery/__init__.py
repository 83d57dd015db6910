"""Webhooks: receivers of an account, and messages to them about anything.

Messages are queued in the database; a separate process sends them.
"""
