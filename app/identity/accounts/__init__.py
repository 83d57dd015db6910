"""Accounts and their API keys: permissions, authentication, and the lifecycle of keys."""
