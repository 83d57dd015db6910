"""How gunicorn serves the application."""

# The command that serves, in the service's environment.
GUNICORN_COMMAND = ("gunicorn", "--config", "python:app.ops.server.config", "wsgi:app")
