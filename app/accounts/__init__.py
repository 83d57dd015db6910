"""Accounts and their API keys: who may call, with which permissions, and how keys live and end."""
