"""Requests and their recorded responses, for documents and tests."""
