"""Declare the endpoints of TimeGPT: under one prefix, with one description."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint
from marshmallow import Schema

from app.api.dialects.timegpt.bounds import BATCH, BATCH_SECONDS
from app.api.endpoints.endpoint import BatchBody, Endpoint, Success, Tag
from app.api.examples.recorded import Examples
from app.api.serving.decorator import View, endpoint
from app.compute.jobs import Job
from app.identity.accounts.permissions import Permission

PATH_PREFIX = "/timegpt/"
EXAMPLES = Examples(__package__)
blueprint = Blueprint("timegpt", __name__)
_TAG = Tag("TimeGPT", "The API of Nixtla's TimeGPT, for its Python SDK: many series in a call.")
_DESCRIPTION = """\
Compatible with Nixtla's SDK: `NixtlaClient(base_url="https://host/timegpt", api_key="ak_…")`.
`model` is one of TimeGPT's names or of the service's own. Bodies above 1 MiB may be compressed by
zstd (`Content-Encoding: zstd`). `clean_ex_first`, `finetune_depth`, `finetune_loss`,
`refit` and `job_options` are accepted and have no effect. Invalid requests get
`422`, whose `detail` says what to send or set instead."""
_COST_NOTE = """

Counts as one request for each 100 forecasts or 50,000 points, at least one: all of them or, if
they do not fit the limits, only the first. A forecast of more than 100 steps counts as one for each
100 steps begun. What takes longer than 50 s gets `422`."""


def declare(
    method: str,
    path: str,
    response: Schema | None,
    *,
    permission: Permission | None,
    **options: Any,
) -> Callable[[View], View]:
    def declare_view(view: View) -> View:
        declared = Endpoint(
            method,
            PATH_PREFIX + path,
            operation_id=f"timegpt_{view.__name__}",
            tag=_TAG,
            permission=permission,
            successes={200: Success("Done.", response)} if response else {},
            **{"description": _DESCRIPTION} | options,
        )
        return endpoint(blueprint, declared)(view)

    return declare_view


def declare_call(
    path: str, body: Schema, response: Schema, job: Job, example: str
) -> Callable[[View], View]:
    return declare(
        "POST",
        f"v2/{path}",
        response,
        permission=Permission.READ,
        computes=job,
        body=BatchBody(body, BATCH),
        time_limit_seconds=BATCH_SECONDS,
        description=_DESCRIPTION + _COST_NOTE,
        example=EXAMPLES.success(path, example),
    )
