"""The settings of the application that handles the request or the command."""

from flask import current_app

from app.core.settings import Settings


def current_settings() -> Settings:
    settings: Settings = current_app.config["SETTINGS"]
    return settings
