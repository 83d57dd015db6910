"""The two applications that ``benchmarks/overhead.py`` times: the whole service, and a bare view.

``stubbed()`` is the service with an engine that computes nothing; ``bare()`` answers the same bytes
from a Flask view that does nothing else.
"""

import os
from pathlib import Path

import numpy as np
from flask import Flask, Response

from app import create_app
from app.api.forecaster import EXTENSION
from app.forecasting.series import Forecast, Series
from app.forecasting.timestamps import format_timestamps

ANSWER = "OVERHEAD_ANSWER"  # environment variable: a file with the bytes that the bare view answers


def stubbed() -> Flask:
    """Return the service; every forecast is 12.5."""

    def compute(series: Series, horizon: int, _confidence: float, model_id: str) -> Forecast:
        flat = np.full(horizon, 12.5)
        future = series.calendar.future(horizon)
        timestamps = format_timestamps(future, series.suffix)
        return Forecast(timestamps, flat, flat, flat, model_id)

    app = create_app()
    app.extensions[EXTENSION] = compute
    return app


def bare() -> Flask:
    """Return an application that answers the same bytes and does nothing."""
    answer = Path(os.environ[ANSWER]).read_bytes()
    app = Flask(__name__)

    @app.post("/forecast")
    def forecast() -> Response:
        return Response(answer, mimetype="application/json")

    return app
