"""Change the settings of an existing application."""

import dataclasses
from typing import Any

from flask import Flask


def change_settings(app: Flask, **changes: Any) -> None:
    """Replace some settings of ``app``, by field name."""
    app.config["SETTINGS"] = dataclasses.replace(app.config["SETTINGS"], **changes)
