"""How gunicorn serves the application."""

COMMAND = ("gunicorn", "--config", "python:app.server.config", "wsgi:app")
"""The command that serves, in the service's environment."""
