"""Extensions of gunicorn, installed through its settings."""
