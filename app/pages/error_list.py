"""What /docs/errors shows: the examples that the API's tests send, arranged by status."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup, escape

from app.api.examples import ERROR_EXAMPLES, answerers
from app.api.examples.error import REMOVED, ErrorExample
from app.api.problems import describe
from app.api.statuses import STATUSES, ErrorCode

CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class ShownError:
    """One error; ``sent`` says what of its request is not as in the example of a good one."""

    name: str
    when: str
    remedy: str
    sent: tuple[str, ...]
    answer: str


@dataclass(frozen=True)
class ShownStatus:
    """A status, who answers with it, and the errors that have it."""

    status: int
    code: ErrorCode
    by: str
    when: str
    errors: tuple[ShownError, ...]


def shown_statuses() -> tuple[ShownStatus, ...]:
    """Return all errors, the lowest status first."""
    return tuple(
        ShownStatus(
            number,
            status.code,
            answerers(number),
            status.when,
            tuple(_shown(example) for example in ERROR_EXAMPLES if example.status == number),
        )
        for number, status in STATUSES.items()
    )


def mark_code(text: str) -> Markup:
    """Return ``text`` as HTML, what stands between backticks as code."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))


def _shown(example: ErrorExample) -> ShownError:
    head = [f"HTTP status: {example.status}"]
    head += [f"{name}: {value}" for name, value in example.answer_headers.items()]
    body = json.dumps(example.answer, indent=2, ensure_ascii=False)
    return ShownError(
        example.name,
        example.when,
        example.remedy,
        tuple(_differences(example)),
        "\n".join([*head, "", body]),
    )


def _differences(example: ErrorExample) -> Iterator[str]:
    if (example.method, example.path) != ("POST", "/forecast"):
        yield f"`{example.method} {example.path}`"
    for name, value in example.headers.items():
        yield f"`{name}: {value}`"
    for place, value in example.changes.items():
        if value is REMOVED:
            yield f"no `{place}`"
        else:
            yield f"`{place}: {json.dumps(describe(value), ensure_ascii=False)}`"
    if example.body is not None:
        yield f"`{describe(example.body)}`"
    if example.circumstance:
        yield example.circumstance
