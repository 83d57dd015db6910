"""The text that opens the document: Markdown with the tables that the service itself uses."""

from collections.abc import Iterable, Sequence

from app.anomalies.results import (
    DEFAULT_FALSE_ALARM_RATE,
    MAX_FALSE_ALARM_RATE,
    MIN_FALSE_ALARM_RATE,
)
from app.api.anomalies.schemas import MIN_JUDGED_POINTS
from app.api.backtest.schemas import DEFAULT_WINDOWS
from app.api.endpoints.endpoint import Endpoint
from app.api.errors.statuses import STATUSES, error_code
from app.api.forecast.schemas import DEFAULT_CONFIDENCE, MAX_CONFIDENCE, MIN_CONFIDENCE, MODEL_LIST
from app.forecasting.backtest.windows import MAX_WINDOWS
from app.forecasting.model_ids import MIN_POINTS, MODEL_IDS
from app.forecasting.types import MAX_HORIZON
from app.identity.accounts.permissions import PERMISSION_LIST
from app.identity.limits.tiers import LEVEL_ALLOWANCES, TIERS, WINDOW_WORDS, Allowance
from app.timeseries.calendar.frequency import UNITS
from app.timeseries.types import MAX_MAGNITUDE
from app.watching.monitors.append import MAX_APPEND_POINTS

ERRORS_PATH = "/docs/errors"
_DESCRIPTION_TEMPLATE = """\
A median and a prediction interval for up to {max_horizon} future periods, from one of {model_count}
models, and how good each would have been on your own series; the anomalies of a series, with a
calibrated false alarm rate; and monitors, which judge points as they arrive.

## First request

```sh
# the address of this service, and your key
export FORECAST_URL=https://forecast.example.com
export FORECAST_KEY=ak_…
curl "$FORECAST_URL/verify" \\
  -H "Authorization: Bearer $FORECAST_KEY"
```

shows whether your key works. Then send the example of `POST /forecast` below.

## Keys

A key is `ak_` and 64 hexadecimal characters, sent as `Authorization: Bearer ak_…`, over HTTPS and
from servers only. Its permissions:

{permissions}

{needs} No key is needed for {public} while the service has public pages.

## Data

- `timestamps` are `YYYY-MM-DDTHH:MM:SS`, optionally with zero fractions (`.000`), optionally with
  `Z` or one offset (`+02:00`) that is the same for all. They are chronological, one regular step
  apart, and **none is missing**.
- `data_frequency` is the unit of that step, which may be a whole multiple of it: five-minute data
  is `Minutes`. Months, quarters and years keep their anchor (starts, ends, a day of the month).
  `Daily` data without Saturdays and Sundays continues in business days.
- A step as long as the next unit belongs to that one: 60 minutes are `Hours`, 7 days `Weekly`,
  3 months `Quarterly`, 12 months `Yearly`.
- JSON is strict (RFC 8259): no `NaN`, no numbers in quotes, no `null`, no unknown fields.

{data_limits}

Recommended points: {recommended}. With fewer, the header `X-Forecast-Notice` says so.

## Models

The header `X-Model-Id` picks one:

{models}

## Limits

If the key's account has a tier, its limits apply, counted over all keys of the account:

{tiers}

Otherwise those of the key's permissions, counted for each key:

{levels}

`Full Access` is all four permissions, `Admin` those with `admin`, `Read/Write` those with `write`
or `delete`, `Read Only` is only `read`.

Windows are fixed and start with the first request counted in them. A request must fit all three;
one that does not gets 429 and consumes nothing. Every response has `X-RateLimit-Limit`,
`X-RateLimit-Remaining` and `X-RateLimit-Reset` of the window with the fewest requests remaining.
Requests without a valid key count against their address: {anonymous_per_minute:,} a minute.

## Errors

Every response that is not 2xx has the body `Error`; APIs of other vendors, below, have their own.
Its `details.issue` says what is wrong and what to send instead, `details.field` where, and
`details.errors` lists every defect. Two responses have other details: a missing permission (403)
has `required` and `granted`, a limit that is used up (429) `limit` and `reset_time`. After 429 and
503, wait as long as `Retry-After` says, then back off exponentially; 500, 502 and 504 may succeed
later. Any other error repeats with the same request.

{statuses}

Those that no operation below lists come from nginx, before or instead of the service.

[Each error with an example and its remedy]({errors_path})
"""


def api_description(
    endpoints: Sequence[Endpoint],
    *,
    max_points: int,
    max_body_bytes: int,
    anonymous_per_minute: int,
) -> str:
    needs = (
        f"`{endpoint}` needs "
        + (f"`{endpoint.permission}`" if endpoint.permission else "any valid key")
        for endpoint in endpoints
        if not endpoint.is_public
    )
    public = (f"`{endpoint}`" for endpoint in endpoints if endpoint.is_public)
    return _DESCRIPTION_TEMPLATE.format(
        needs=", ".join(needs) + ".",
        public=", ".join(public),
        anonymous_per_minute=anonymous_per_minute,
        errors_path=ERRORS_PATH,
        max_horizon=MAX_HORIZON,
        model_count=len(MODEL_IDS),
        permissions=PERMISSION_LIST,
        data_limits=_markdown_table(("Limit", "Value"), _data_limits(max_points, max_body_bytes)),
        recommended=_recommended_points(),
        statuses=_markdown_table(
            ("Status", "`error.code`", "When"),
            [(str(number), f"`{error_code(number)}`", when) for number, when in STATUSES.items()],
        ),
        models=MODEL_LIST,
        tiers=_allowance_table("Tier", TIERS),
        levels=_allowance_table("Permissions", LEVEL_ALLOWANCES),
    )


def _data_limits(max_points: int, max_body_bytes: int) -> list[tuple[str, ...]]:
    return [
        ("Series in a request", "exactly 1"),
        ("Points of a series", f"{MIN_POINTS} to {max_points:,}"),
        ("…of `POST /anomalies`", f"{MIN_JUDGED_POINTS} to {max_points:,}"),
        ("…of `POST /backtest`", f"{MIN_POINTS} and `forecast_horizon` to {max_points:,}"),
        ("Points appended to a monitor per request", f"1 to {MAX_APPEND_POINTS:,}"),
        ("Magnitude of a value", f"at most {MAX_MAGNITUDE:g}"),
        ("`forecast_horizon`", f"1 to {MAX_HORIZON}"),
        ("`windows`", f"1 to {MAX_WINDOWS}, by default {DEFAULT_WINDOWS}"),
        ("`confidence`", f"{MIN_CONFIDENCE} to {MAX_CONFIDENCE}, by default {DEFAULT_CONFIDENCE}"),
        (
            "`false_alarm_rate`",
            f"{MIN_FALSE_ALARM_RATE} to {MAX_FALSE_ALARM_RATE}, "
            f"by default {DEFAULT_FALSE_ALARM_RATE}",
        ),
        ("Body", f"{max_body_bytes:,} bytes"),
    ]


def _recommended_points() -> str:
    frequencies: dict[int, list[str]] = {}
    for frequency, unit in UNITS.items():
        frequencies.setdefault(unit.recommended_points, []).append(f"`{frequency}`")
    return "; ".join(f"for {', '.join(names)} {points}" for points, names in frequencies.items())


def _allowance_table(
    title: str, allowances: dict[str, Allowance | None] | dict[str, Allowance]
) -> str:
    rows = []
    for name, allowance in allowances.items():
        numbers = [f"{number:,}" for _window, number in allowance.windows()] if allowance else []
        rows.append((name, *(numbers or ["own"] * len(WINDOW_WORDS))))
    return _markdown_table((title, *WINDOW_WORDS.values()), rows)


def _markdown_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
