"""The layout and the packages of the design card (D36)."""

import re
import tomllib

import pytest

from tests.support.server import ROOT

TOP = (
    *("pyproject.toml", "README.md", "Procfile", "wsgi.py"),
    *("app/__init__.py", "migrations/env.py", "tests/conftest.py", "nginx/render.py"),
)
PACKAGES = ["flask", "flask-limiter", "marshmallow", "gunicorn", "pmdarima", "pandas", "sqlalchemy"]


@pytest.mark.parametrize("path", TOP)
def test_what_an_operator_looks_for_is_at_the_top_level(path: str) -> None:
    assert (ROOT / path).is_file()


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_of_the_card_is_declared_and_says_what_it_does(package: str) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert package in {re.split(r"[<>=]", one)[0] for one in declared}
    page = (ROOT / "docs" / "developing" / "dependencies.md").read_text()
    table = page.split("## What the service is built on")[1].split("##")[0]
    assert re.search(rf"^\| {package}\b.* \| .{{20,}} \|$", table, re.MULTILINE)


def test_every_place_that_starts_the_service_names_the_same_entry_point() -> None:
    from app.ops.server import COMMAND

    assert COMMAND[-1] == "wsgi:app"
    for place in ("Procfile", "deploy/systemd/forecast-service.service"):
        assert " ".join(COMMAND) in (ROOT / place).read_text(), place
    assert (ROOT / ".flaskenv").read_text() == "FLASK_APP=wsgi:app\n"
