"""How gunicorn serves the application."""

COMMAND = ("gunicorn", "--config", "python:app.ops.server.config", "wsgi:app")
"""The command that serves, in the service's environment."""
