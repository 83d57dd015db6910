"""The tables of the documents match the code: what is not documented fails here."""

import dataclasses
import itertools
import json
import re
import tomllib
from importlib import metadata

import pytest
from flask.testing import FlaskClient
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from app.api.anomalies.schemas import (
    AnomaliesRequestSchema,
    AnomaliesResponseSchema,
    ChangePointSchema,
    EventSchema,
)
from app.api.backtest.schemas import (
    BacktestRequestSchema,
    BacktestResponseSchema,
    BandSchema,
    ScoredModelSchema,
    WindowSchema,
)
from app.api.errors.statuses import CODES_BY_STATUS, ORDER_OF_CHECKS, STATUSES, ErrorCode
from app.api.examples.recorded import EXAMPLES, responder_names
from app.api.forecast.schemas import ForecastRequestSchema
from app.forecasting.backtest.results import Scores
from app.forecasting.model_ids import MODEL_IDS
from app.identity.limits.tiers import LEVEL_ALLOWANCES, TIERS
from app.timeseries.calendar.frequency import Frequency
from tests.support.server import ROOT

VERIFICATION = EXAMPLES.responses["verify"]

DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text()
BROUGHT = (DOCS / "developing" / "dependencies.md").read_text().split("## What they bring")[1]


def rows(page: str) -> list[str]:
    """Return the rows of the tables of a page, with single spaces."""
    lines = (DOCS / page).read_text().splitlines()
    return [re.sub(r"\s+", " ", line) for line in lines if line.startswith("|")]


@pytest.mark.parametrize("number", STATUSES)
def test_every_status_is_in_the_error_table_as_it_is_sent(number: int) -> None:
    row = f"| {number} | {responder_names(number)} | {STATUSES[number]} |"
    assert row in rows("using/errors.md")


def test_both_pages_of_errors_give_the_same_order_of_checks(client: FlaskClient) -> None:
    assert ORDER_OF_CHECKS in " ".join((DOCS / "using" / "errors.md").read_text().split())
    assert ORDER_OF_CHECKS in client.get("/docs/errors").text


def test_the_page_says_which_statuses_have_which_code() -> None:
    page = (DOCS / "using" / "errors.md").read_text()
    for code in ErrorCode:
        statuses = [str(status) for status, own in CODES_BY_STATUS.items() if own is code]
        assert f"`{code}` ({', '.join(statuses)}" in page


@pytest.mark.parametrize("name", [*TIERS, *LEVEL_ALLOWANCES])
def test_the_limit_tables_are_those_of_the_code(name: str) -> None:
    allowance = (TIERS | LEVEL_ALLOWANCES)[name]
    numbers = (
        [f"{number:,}" for _seconds, number in allowance.windows()] if allowance else ["custom"] * 3
    )
    wanted = f"| {' | '.join(numbers)} |"
    assert any(
        row.startswith(f"| {name} |") and row.endswith(wanted) for row in rows("using/limits.md")
    )


@pytest.mark.parametrize("name", [*MODEL_IDS, *Frequency])
def test_every_model_and_frequency_is_named(name: str) -> None:
    page = "models" if name in MODEL_IDS else "quick-start"
    assert f"`{name}`" in (DOCS / "using" / f"{page}.md").read_text()


@pytest.mark.parametrize("name", MODEL_IDS)
def test_the_readme_helps_to_choose_each_model(name: str) -> None:
    assert f"| `{name}`" in README


def test_every_dependency_says_why_it_is_there() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, extras = declared["project"], declared["project"]["optional-dependencies"]
    lists = [project["dependencies"], *extras.values(), *declared["dependency-groups"].values()]
    table = (DOCS / "developing" / "dependencies.md").read_text()
    for requirement in itertools.chain(*lists):
        name = re.split(r"[\[<>=~]", requirement)[0]
        assert re.search(rf"^\|[^|]*\b{name}\b[^|]*\|", table, re.MULTILINE), name


def test_every_pinned_library_is_declared_or_says_who_requires_it() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = declared["optional-dependencies"]
    direct = [*declared["dependencies"], *extras["postgres"], *extras["redis"]]
    requirements = required_by(direct)
    lock = (ROOT / "requirements.txt").read_text()
    pins = set(re.findall(r"^([a-z0-9-]+)==(?!.*win32)", lock, re.M))
    shown = dict(re.findall(r"^\| ([a-z0-9-]+) \| ([a-z0-9, -]+) \| [^|]+ \|$", BROUGHT, re.M))
    assert {
        name: ", ".join(sorted(requirements[name])) for name in pins & requirements.keys()
    } == shown
    assert pins - requirements.keys() == {
        canonicalize_name(Requirement(requirement).name) for requirement in direct
    }


def required_by(direct: list[str]) -> dict[str, set[str]]:
    """Return who requires each library that is not ``direct``, by the libraries' metadata."""
    declared = {canonicalize_name(Requirement(requirement).name) for requirement in direct}
    results: dict[str, set[str]] = {}
    left = [Requirement(requirement) for requirement in direct]
    while left:
        requirement = left.pop()
        for extra in ("", *requirement.extras):
            # The oldest Python that the service runs on.
            oldest = {"extra": extra, "python_full_version": "3.11.0"}
            for other in map(Requirement, metadata.requires(requirement.name) or []):
                name = canonicalize_name(other.name)
                if other.marker is not None and not other.marker.evaluate(oldest):
                    continue
                if name not in declared:
                    is_new = name not in results
                    if is_new and name != "async-timeout":  # newer Pythons do not install it
                        left.append(other)
                    results.setdefault(name, set()).add(canonicalize_name(requirement.name))
    return results


def test_the_readmes_first_request_gets_the_readmes_response(client: FlaskClient, key: str) -> None:
    section = README.split("## The first request")[1]
    body = section.split("-d '")[1].split("'")[0]
    shown = json.loads(section.split("```json")[1].split("```")[0])
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    response = client.post("/forecast", data=body, headers=headers).get_json()
    assert response.pop("forecast_timestamps") == shown.pop("forecast_timestamps")
    assert {name: [round(x, 1) for x in column] for name, column in response.items()} == shown


def test_the_quick_starts_verification_is_the_example_of_the_document() -> None:
    page = (DOCS / "using" / "quick-start.md").read_text()
    shown = page.split("$FORECAST_URL/verify")[1].split("```json")[1].split("```")[0]
    assert json.loads(shown) == VERIFICATION


def test_the_tables_of_anomalies_have_every_field() -> None:
    section = (DOCS / "using" / "anomalies.md").read_text()
    fields = section.split("| `kind`")[0]
    cells = re.findall(r"^\| (`[^|]+) \|", fields, re.MULTILINE)
    named = re.findall("`([a-z_]+)`", " ".join(cells))
    wanted = [AnomaliesRequestSchema(), AnomaliesResponseSchema()]
    assert named == [name for schema in wanted for name in schema.fields]
    for schema in (EventSchema(), ChangePointSchema()):
        assert all(f"`{name}`" in section for name in schema.fields)


def test_the_tables_of_backtests_have_every_field() -> None:
    page = (DOCS / "using" / "backtests.md").read_text()
    cells = re.findall(r"^\| `([a-z_]+)` \|", page, re.MULTILINE)
    more = [
        name
        for name in BacktestRequestSchema().fields
        if name not in ForecastRequestSchema().fields
    ]
    measures = [field.name for field in dataclasses.fields(Scores)]
    assert cells == [*more, *BacktestResponseSchema().fields, *measures]
    for schema in (ScoredModelSchema(), WindowSchema(), BandSchema()):
        assert all(f"`{name}`" in page for name in schema.fields)
