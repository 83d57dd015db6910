"""What the service adds to gunicorn, by its settings alone."""
