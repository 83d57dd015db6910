"""The packages of docs/developing/architecture.md, and the imports between them."""

import ast
import functools
import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

from app.api.blueprints import BLUEPRINTS
from tests.support.server import ROOT
from tests.support.source_trees import trees_of

REQUIRED_PACKAGES = [
    "flask",
    "flask-limiter",
    "marshmallow",
    "gunicorn",
    "pmdarima",
    "pandas",
    "sqlalchemy",
]
# A package imports those below it in this list, never those above.
LAYERS = (
    "ops", "web", "api", "watching", "delivery", "identity", "core", "compute",
    "anomalies", "tables", "forecasting", "timeseries",
)  # fmt: skip
# What each library must stay out of: computing needs none of them, and no one but HTTP knows Flask.
WITHOUT_FLASK = LAYERS[LAYERS.index("watching") :]
WITHOUT_SQL = LAYERS[LAYERS.index("compute") :]
Graph = dict[str, set[str]]


@pytest.mark.parametrize("package", REQUIRED_PACKAGES)
def test_each_required_package_is_declared_and_says_what_it_does(package: str) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert package in {re.split(r"[<>=]", requirement)[0] for requirement in declared}
    page = (ROOT / "docs" / "developing" / "dependencies.md").read_text()
    table = page.split("## What the service is built on")[1].split("##")[0]
    assert re.search(rf"^\| {package}\b.* \| .{{20,}} \|$", table, re.MULTILINE)


def test_every_place_that_starts_the_service_names_the_same_entry_point() -> None:
    from app.ops.server import GUNICORN_COMMAND

    assert GUNICORN_COMMAND[-1] == "wsgi:app"
    for place in ("Procfile", "deploy/systemd/forecast-service.service"):
        assert " ".join(GUNICORN_COMMAND) in (ROOT / place).read_text(), place
    assert (ROOT / ".flaskenv").read_text() == "FLASK_APP=wsgi:app\n"


@functools.cache
def imports_of(path: str) -> list[str]:
    """Return every module that a module of the service imports, also inside functions."""
    results: list[str] = []
    for node in ast.walk(trees_of("app")[path]):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            results.append(node.module)
            results += (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            results += (name.name for name in node.names)
    return results


def imports_from(packages: tuple[str, ...]) -> list[tuple[str, str]]:
    """List each file of some packages with each module that it imports."""
    results = [
        (path, module)
        for package in packages
        for path in trees_of("app")
        if path.startswith(f"app/{package}/")
        for module in imports_of(path)
    ]
    assert results
    return results


def test_the_service_has_these_packages_and_no_loose_modules() -> None:
    entries = {path.name for path in (ROOT / "app").iterdir() if path.name != "__pycache__"}
    assert entries == {"__init__.py", *LAYERS}


@pytest.mark.parametrize("package", LAYERS)
def test_no_package_imports_a_higher_one(package: str) -> None:
    above = {f"app.{name}" for name in LAYERS[: LAYERS.index(package)]}
    upwards = [
        f"{path} imports {module}"
        for path, module in imports_from((package,))
        if ".".join(module.split(".")[:2]) in above
    ]
    assert upwards == []


@functools.cache
def import_graphs() -> dict[str, Graph]:
    """Return for each package which of its folders and modules import which others of them.

    What a package's own ``__init__.py`` imports or exports is left out.
    """
    modules = {".".join(Path(path).with_suffix("").parts): path for path in trees_of("app")}
    graphs: dict[str, Graph] = defaultdict(lambda: defaultdict(set))
    for module, path in modules.items():
        for name in imports_of(path):
            imported = name if name in modules else f"{name}.__init__"
            if imported in modules and imported != module:
                pairs = [*zip(module.split("."), imported.split("."), strict=False)]
                depth = next(
                    depth for depth, (importer, other) in enumerate(pairs) if importer != other
                )
                if "__init__" not in pairs[depth]:
                    importer, other = pairs[depth]
                    graphs[".".join(module.split(".")[:depth])][importer].add(other)
    return graphs


def circles(graph: Graph) -> set[tuple[str, ...]]:
    """Return the groups of folders and modules that import each other, directly or by others."""
    reached: Graph = {}
    for entry in graph:
        reached[entry], waiting = set(), [entry]
        while waiting:
            new = graph.get(waiting.pop(), set()) - reached[entry]
            reached[entry] |= new
            waiting += new
    return {
        tuple(sorted(other for other in reached[entry] if entry in reached.get(other, ())))
        for entry in graph
        if entry in reached[entry]
    }


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}}, set()),
        ({"a": {"b"}, "b": {"a"}}, {("a", "b")}),
        ({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}}, {("b", "c")}),
        (
            {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"e"}, "e": {"d"}},
            {("a", "b", "c"), ("d", "e")},
        ),
    ],
)
def test_circles_are_found(imports: Graph, expected: set[tuple[str, ...]]) -> None:
    assert circles(imports) == expected


def test_inside_a_package_no_folders_or_modules_import_each_other() -> None:
    graphs = import_graphs()
    assert len(graphs) > 40  # every package with several modules
    packages = {package: circles(graph) for package, graph in graphs.items()}
    assert {package: groups for package, groups in packages.items() if groups} == {}


def test_the_page_on_architecture_lists_folders_of_the_api_in_the_order_of_imports() -> None:
    page = (ROOT / "docs" / "developing" / "architecture.md").read_text()
    order = re.findall(r"^\| `app/api/([a-z]+)/` \|", page, re.MULTILINE)
    imported = import_graphs()["app.api"]
    upwards = [
        f"{folder} imports {above}"
        for index, folder in enumerate(order)
        for above in sorted({*order[:index]} & imported[folder])
    ]
    assert order
    assert upwards == []


@pytest.mark.parametrize(
    ("library", "packages"),
    [("flask", WITHOUT_FLASK), ("sqlalchemy", WITHOUT_SQL), ("app.core.settings", WITHOUT_SQL)],
)
def test_a_package_does_not_know_what_it_is_given_as_arguments(
    library: str, packages: tuple[str, ...]
) -> None:
    known = [
        f"{path} imports {module}"
        for path, module in imports_from(packages)
        if module.split(".")[0].split("_")[0] == library or module.startswith(f"{library}.")
    ]
    assert known == []


def test_the_page_on_architecture_names_every_folder_in_the_order_of_imports() -> None:
    page = (ROOT / "docs" / "developing" / "architecture.md").read_text()
    rows = re.findall(r"^\| `app/([a-z]+)/(?:([a-z]+)/)?` \| (.*) \|$", page, re.MULTILINE)
    assert list(dict.fromkeys(package for package, _, _ in rows)) == list(LAYERS)
    named = [(package, folder) for package, folder, _ in rows if folder]
    for package, folder, contents in rows:
        if not folder:
            named += [(package, name) for name in re.findall(r"`([a-z_]+)/`", contents)]
        files = re.findall(r"`([a-z_]+\.py)`", contents)
        assert [
            name for name in files if not (ROOT / "app" / package / folder / name).is_file()
        ] == []
    folders = {
        (path.parts[-3], path.parts[-2]) for path in (ROOT / "app").glob("[a-z]*/*/__init__.py")
    }
    resources = {("api", blueprint.import_name.split(".")[2]) for blueprint in BLUEPRINTS}
    assert sorted(named) == sorted(folders - resources), "each folder once, and no others"
    assert len(page.splitlines()) <= 150


def test_scripts_of_charts_know_no_page_that_draws_them() -> None:
    scripts = sorted((ROOT / "app/web/pages/static/charts").glob("*.js"))
    assert "chart.js" in [script.name for script in scripts]
    pages = re.compile("/(playground|account)/")
    known = [script.name for script in scripts if pages.search(script.read_text())]
    assert known == []
