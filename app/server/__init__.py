"""How gunicorn serves the application."""

COMMAND = ("gunicorn", "--config", "python:app.server.config", "app.wsgi:app")
"""The command that serves, in the service's environment."""
