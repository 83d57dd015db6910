"""The two applications that ``benchmarks/overhead.py`` times: the whole service, and a bare view.

``stubbed()`` is the service with an engine that computes nothing and returns at once, in the web
worker; ``bare()`` reads the same request and returns the same bytes from a Flask view that does
nothing else.
"""

import os
from pathlib import Path

import numpy as np
from flask import Flask, Response, request

from app import create_app
from app.compute.jobs import EXTENSION, InProcessEngine, Job
from app.forecasting.types import Forecast
from app.timeseries.series import Series

RESPONSE = "OVERHEAD_RESPONSE"  # names a file with the bytes that the bare view returns
HORIZON = 24
VALUES = 12.5 + np.arange(HORIZON) / 3
TIMESTAMPS = [f"2026-01-01T{hour:02}:00:00Z" for hour in range(HORIZON)]


def stubbed() -> Flask:
    """Return the service; every forecast is the same ``HORIZON`` hours."""

    def compute(
        _job: Job, _series: Series, _horizon: int, _confidence: float, model_id: str, *_: object
    ) -> Forecast:
        return Forecast(TIMESTAMPS, VALUES, VALUES, VALUES, model_id)

    app = create_app()
    app.extensions[EXTENSION] = InProcessEngine(compute)
    return app


def bare() -> Flask:
    """Return an application that reads a request, returns the same bytes and does nothing else."""
    response = Path(os.environ[RESPONSE]).read_bytes()
    app = Flask(__name__)

    @app.post("/forecast")
    def forecast() -> Response:
        request.get_data()
        return Response(response, mimetype="application/json")

    return app
