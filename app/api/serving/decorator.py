"""Declare an endpoint at its view: permission, limits, loading of requests, dumping of results."""

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any, cast

from flask import Blueprint, Flask, Response, request
from flask_limiter import RateLimitExceeded
from marshmallow import Schema

from app.api.callers.current_caller import current_caller, is_anonymous_call
from app.api.callers.limiter import count_against, count_request
from app.api.computing.engine_jobs import acquire_queue_slot, declared_body_bytes
from app.api.endpoints.endpoint import CallCost, Endpoint, FileBody, Result, add_endpoint
from app.api.errors.api_error import ApiError
from app.api.errors.validation import load_all
from app.api.responses.json import empty_response, json_response
from app.api.service import current_settings
from app.api.serving.body import exclusive_json_body, has_body, read_file_body
from app.identity.accounts.permissions import sorted_permissions
from app.identity.limits.budget import reading_budget

View = Callable[..., Any]

# A file that does not count against the limits of a key counts as a request for a page for each of
# these bytes: twelve files of 4 MiB a minute leave 232 of the 1,000 requests for pages.
BYTES_PER_REQUEST = 64 * 1024


def endpoint(
    blueprint: Blueprint, declaration: Endpoint, *, name: str = ""
) -> Callable[[View], View]:
    """Serve an endpoint by the decorated view; Flask's ``name`` for it is by default the view's.

    The view gets what ``body``, ``headers`` and ``query`` load, in this order and as far as they
    are declared, or first the bytes of a file, and what ``variables`` loads by name. It returns
    what the schema of the first of ``successes`` dumps, or a ``Result``.

    Errors are checked in the order of ``ORDER_OF_CHECKS``; the view's come last.
    """

    def register(view: View) -> View:
        described = dataclasses.replace(
            declaration,
            operation_id=declaration.operation_id or view.__name__,
            summary=declaration.summary or (view.__doc__ or "").partition("\n")[0].rstrip("."),
        )
        rule_name = name or view.__name__
        full_name = f"{blueprint.name}.{rule_name}"
        blueprint.add_url_rule(
            described.path, rule_name, _wrap_view(described, view), methods=[described.method]
        )
        blueprint.record(lambda state: add_endpoint(cast(Flask, state.app), full_name, described))
        return view

    return register


def _wrap_view(declared: Endpoint, view: View) -> View:
    """Return the view that Flask calls: it checks, loads and dumps as declared."""

    @functools.wraps(view)
    def serve(**variables: Any) -> Response:
        if not is_anonymous_call():
            _check_permission(declared)
        _reserve_slot(declared)
        _count_call(declared)
        positional, keywords = _load_or_count_rejection(declared, variables)
        return _make_response(declared, view(*positional, **keywords))

    return serve


def _check_permission(declared: Endpoint) -> None:
    """Raise ApiError, 403, if the key lacks the permission; that counts as a call, too."""
    granted = current_caller().permissions
    if declared.permission is None or declared.permission in granted:
        return
    if declared.cost is not CallCost.NOTHING:
        with contextlib.suppress(RateLimitExceeded):  # the response is the same either way
            count_request()
    raise ApiError(
        403,
        f"API key lacks the permission {declared.permission}; send a key that has it",
        details={"required": [declared.permission], "granted": sorted_permissions(granted)},
    )


def _reserve_slot(declared: Endpoint) -> None:
    if declared.computes is not None:
        acquire_queue_slot(declared.computes, declared.name, _expected_body_bytes(declared))


def _count_call(declared: Endpoint) -> None:
    if is_anonymous_call():
        count_request(_page_budget_cost(declared))
    elif declared.cost is CallCost.REQUEST:
        count_request()
    elif declared.cost is CallCost.READING:
        # The budget of requests without a key: anybody can create keys, so a key must not raise it.
        budget = reading_budget(current_caller().account_id, current_settings().pages_per_minute)
        count_against(budget, _page_budget_cost(declared))


def _page_budget_cost(declared: Endpoint) -> int:
    """Return how many requests a call outside the limits of a key counts as: files by their bytes.

    No more than a minute's budget, so that a file may be sent at all where that is small.
    """
    has_file = isinstance(declared.body, FileBody)
    blocks = -(-_expected_body_bytes(declared) // BYTES_PER_REQUEST) if has_file else 1
    return min(max(1, blocks), current_settings().pages_per_minute)


def _expected_body_bytes(declared: Endpoint) -> int:
    """Return the size of the body as the request declares it, at most the endpoint's limit."""
    if declared.body is None:
        return 0
    return declared_body_bytes(
        declared.batch.max_sent_bytes if declared.batch else current_settings().max_body_bytes
    )


def _load_or_count_rejection(
    declared: Endpoint, variables: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Load the current request; count one that is rejected if else only the view would count it."""
    try:
        return _load_request(declared, variables)
    except ApiError:
        if declared.cost is CallCost.RELAYED:
            count_request()
        raise


def _load_request(
    declared: Endpoint, variables: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Load the current request; raise all its problems together.

    First come the positional arguments of the view, then those by name.
    """
    body = declared.body
    files = [read_file_body(body.media_types)] if isinstance(body, FileBody) else []
    sent: dict[str, tuple[Schema, Mapping[str, Any]]] = {}  # in the order of their problems
    with contextlib.ExitStack() as stack:
        if declared.variables is not None:
            sent["variables"] = declared.variables, variables
        if declared.query is not None:
            sent["query"] = declared.query, request.args
        if declared.headers is not None:
            sent["headers"] = _headers_as_sent(declared.headers)
        if declared.json_schema is not None:
            sent_body: dict[str, Any] = {}
            if has_body() or not declared.is_body_optional:
                sent_body = stack.enter_context(exclusive_json_body(declared.batch))
            sent["body"] = declared.json_schema, sent_body
        loaded = dict(zip(sent, load_all([*sent.values()]), strict=True))
    positional = [loaded[part] for part in ("body", "headers", "query") if part in loaded]
    return [*files, *positional], loaded.get("variables", {})


def _headers_as_sent(schema: Schema) -> tuple[Schema, dict[str, str]]:
    """Return the headers that were sent, and their schema.

    A field whose alias was sent has that name in the schema, so that an error names it.
    """
    names = {name: field.data_key or name for name, field in schema.fields.items()}
    aliases = {
        name: alias
        for name, field in schema.fields.items()
        if (alias := field.metadata.get("alias")) and alias in request.headers
        if names[name] not in request.headers
    }
    if aliases:
        schema = type(schema)()  # the declared one is shared by all requests
        for name, alias in aliases.items():
            schema.fields[name].data_key = alias
    headers = (names | aliases).values()
    return schema, {name: request.headers[name] for name in headers if name in request.headers}


def _make_response(declared: Endpoint, returned: Any) -> Response:
    result = returned if isinstance(returned, Result) else Result(returned)
    default = next(iter(declared.successes))
    status = result.status or default
    if result.media_type:
        response = Response(result.content, status, mimetype=result.media_type)
    elif schema := declared.successes.get(status, declared.successes[default]).schema:
        response = json_response(schema.dump(result.content), status)
    else:
        response = empty_response(status)
    response.headers.update(result.headers)
    return response
