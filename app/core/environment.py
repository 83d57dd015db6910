"""Read the settings from environment variables, and from a file ``.env``."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dotenv import load_dotenv

from app.core.settings import SETTINGS, Settings


class SettingError(ValueError):
    """A setting has an invalid value; the message names the setting and its allowed values."""


_OIDC_FIELDS = ("oidc_issuer", "oidc_client_id", "oidc_client_secret")


def is_command() -> bool:
    """Return whether this process is a command (``flask`` sets the variable), not a server."""
    return os.environ.get("FLASK_RUN_FROM_CLI") == "true"


def load_settings(environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Read all settings.

    Args:
        environ: The environment; an empty value counts as absent. By default the environment of the
            process, and a file ``.env`` in the working directory.
        overrides: Values by field name that override the environment, for tests.

    Raise SettingError if a value is invalid; the message names the variable and its allowed values.
    """
    if environ is None:
        if not os.environ.get("FLASK_SKIP_DOTENV"):
            load_dotenv(".env")
        environ = os.environ
    values: dict[str, Any] = {}
    for field_name, setting in SETTINGS.items():
        if field_name in overrides:
            values[field_name] = overrides[field_name]
            continue
        try:
            values[field_name] = setting.parse(environ.get(setting.name) or setting.default)
        except ValueError as error:
            raise SettingError(f"{setting.name}: {error}") from None
    settings = Settings(**values)
    given_fields = [name for name in _OIDC_FIELDS if values[name]]
    if 0 < len(given_fields) < len(_OIDC_FIELDS):
        names = ", ".join(SETTINGS[name].name for name in _OIDC_FIELDS)
        raise SettingError(f"{SETTINGS[given_fields[0]].name}: set all of {names}, or none of them")
    certificate_file = environ.get("SSL_CERT_FILE")
    if certificate_file and not Path(certificate_file).is_file():
        raise SettingError("SSL_CERT_FILE: there is no such file; set a file of certificates (PEM)")
    return settings
