"""Declares an endpoint at its view, and serves it: guarded, limited, read, checked, dumped."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, cast

from flask import Blueprint, Flask, Response, request
from marshmallow import Schema

from app.accounts.permissions import Permission, sorted_permissions
from app.api.body import read_json_object
from app.api.declaration import Endpoint, Example, Json, Tag, add_endpoint
from app.api.errors import ApiError
from app.api.identity import caller
from app.api.json import json_response
from app.api.problems import load_all
from app.limits.limiter import limited, spend

View = Callable[..., Any]


def endpoint(
    blueprint: Blueprint,
    method: str,
    path: str,
    *,
    response: type[Schema],
    response_description: str = "Done.",
    name: str | None = None,
    operation_id: str | None = None,
    tag: Tag | None = None,
    description: str = "",
    response_headers: Mapping[str, Json] | None = None,
    example: Example | None = None,
    permission: Permission | None = None,
    counted: bool = True,
    computes: bool = False,
    body: type[Schema] | None = None,
    headers: type[Schema] | None = None,
    other_errors: frozenset[int] = frozenset(),
) -> Callable[[View], View]:
    """Declare the decorated view as an endpoint of ``blueprint``; see ``Endpoint``.

    By default Flask's name of it and the operation's id are the view's name, and the tag is that of
    the blueprint. A view that is declared more than once needs names.

    The view gets what ``body`` and ``headers`` load, in this order and as far as they are declared,
    and the variables of the path by name. It returns what ``response`` dumps, alone or with a dict
    of headers. Errors are given in this order: 401, 403, 429, 415, 413, malformed JSON, 400, 422.
    """

    def declare(view: View) -> View:
        declared = Endpoint(
            method=method,
            path=path,
            operation_id=operation_id or view.__name__,
            tag=tag or Tag(blueprint.name.capitalize(), ""),
            summary=(view.__doc__ or "").partition("\n")[0].rstrip("."),
            description=description,
            response=response(),
            response_description=response_description,
            response_headers=response_headers or {},
            example=example,
            permission=permission,
            counted=counted,
            computes=computes,
            body=body() if body else None,
            headers=headers() if headers else None,
            other_errors=other_errors,
        )
        rule_name = name or view.__name__
        full_name = f"{blueprint.name}.{rule_name}"
        blueprint.add_url_rule(path, rule_name, _served(declared, view), methods=[method])
        blueprint.record(lambda state: add_endpoint(cast(Flask, state.app), full_name, declared))
        return view

    return declare


def _served(declared: Endpoint, view: View) -> View:
    """Return the view that Flask calls: guarded, limited, its request read, its result dumped."""

    @functools.wraps(view)
    def answer(**variables: Any) -> Response:
        result = view(*_read(declared), **variables)
        content, headers = result if isinstance(result, tuple) else (result, {})
        response = json_response(declared.response.dump(content))
        response.headers.update(headers)
        return response

    within_limits = limited(answer) if declared.counted else answer

    @functools.wraps(view)
    def guard(**variables: Any) -> Response:
        granted = caller().permissions
        if declared.permission is not None and declared.permission not in granted:
            if declared.counted:
                spend()  # if it fits; the response is the same either way
            raise ApiError(
                403,
                f"API key lacks the permission {declared.permission}; send a key that has it",
                {"required": [declared.permission], "granted": sorted_permissions(granted)},
            )
        return within_limits(**variables)

    return guard


def _read(declared: Endpoint) -> list[Any]:
    """Return what the current request sends, loaded; raise every problem of it at once."""
    body = None if declared.body is None else (declared.body, read_json_object())
    headers = (
        None if declared.headers is None else (declared.headers, _sent_headers(declared.headers))
    )
    # Of problems those of headers come first; of what the view gets the body does.
    return load_all([part for part in (headers, body) if part is not None])[::-1]


def _sent_headers(schema: Schema) -> dict[str, str]:
    sent = {}
    for name, field in schema.fields.items():
        header = field.data_key or name
        older = field.metadata.get("alias", header)
        value = request.headers.get(header, request.headers.get(older))
        if value is not None:
            sent[header] = value
    return sent
