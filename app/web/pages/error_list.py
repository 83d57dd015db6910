"""The errors on /docs/errors, by status: the examples are those that the API's tests send."""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from markupsafe import Markup, escape

from app.api.endpoints.endpoint import Endpoint
from app.api.errors.statuses import STATUSES, ErrorCode, error_code
from app.api.errors.validation import describe_value
from app.api.examples.recorded import ErrorExample, responder_names

_CODE_SPAN = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class ShownError:
    """An error; ``sent`` says how its request differs from the valid example."""

    name: str
    when: str
    remedy: str
    sent: tuple[str, ...]
    body: str


@dataclass(frozen=True)
class ShownStatus:
    """A status, who responds with it, the endpoints that may, and the errors that have it."""

    status: int
    code: ErrorCode
    by: str
    when: str
    endpoints: tuple[Endpoint, ...]
    errors: tuple[ShownError, ...]


def shown_statuses(
    endpoints: Collection[Endpoint], examples: Collection[ErrorExample]
) -> tuple[ShownStatus, ...]:
    """Return the errors of ``endpoints``, the lowest status first."""
    return tuple(
        ShownStatus(
            number,
            error_code(number),
            responder_names(number),
            when,
            tuple(endpoint for endpoint in endpoints if number in endpoint.error_statuses),
            tuple(_shown_error(example) for example in examples if example.status == number),
        )
        for number, when in STATUSES.items()
    )


def mark_code(text: str) -> Markup:
    """Return ``text`` as HTML, with text between backticks as code."""
    return Markup(_CODE_SPAN.sub(r"<code>\1</code>", str(escape(text))))


def _shown_error(example: ErrorExample) -> ShownError:
    head = [f"HTTP status: {example.status}"]
    head += [f"{name}: {value}" for name, value in example.response_headers.items()]
    return ShownError(
        example.name,
        example.when,
        example.remedy,
        tuple(_differences(example)),
        "\n".join([*head, "", json.dumps(example.response, indent=2, ensure_ascii=False)]),
    )


def _differences(example: ErrorExample) -> Iterator[str]:
    if (example.method, example.path) != ("POST", "/forecast"):
        yield f"`{example.method} {example.path}`"
    for name, value in example.headers.items():
        yield f"`{name}: {value}`"
    for field, value in example.changes.items():
        yield f"`{field}: {json.dumps(describe_value(value), ensure_ascii=False)}`"
    yield from (f"no `{field}`" for field in example.removed)
    if example.body is not None:
        yield f"`{describe_value(example.body)}`"
    if example.circumstance:
        yield example.circumstance
