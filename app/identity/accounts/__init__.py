"""Accounts and their API keys: permissions, authentication, and the lifecycle of keys.

Every function that changes something takes a session whose transaction the caller commits, and
raises ``AccountError`` with a one-sentence message. Every change has an actor and records an event
of `app.identity.accounts.audit` in the same transaction.
"""
