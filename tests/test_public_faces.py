"""No private name of the libraries whose insides were once changed or gone around."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server import ROOT

LIBRARIES = ("gunicorn", "flask_limiter", "limits", "sqlalchemy")
FOLDERS = (ROOT / "app", ROOT / "migrations")
FILES = [ROOT / "wsgi.py", *sorted(path for folder in FOLDERS for path in folder.rglob("*.py"))]
EXCEPTIONS = {
    "os._exit": "Python's own, and documented",
    "super()._deserialize": "the documented way to write a field of marshmallow",
}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The module and the name of every import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def defined(tree: ast.AST) -> Iterator[str]:
    """The names that a file gives to functions, classes, variables and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield from [node.attr] if ast.unparse(node.value) in ("self", "cls") else []


def private_names(source: str, own: set[str]) -> list[str]:
    """The private names of libraries that ``source`` uses."""
    tree = ast.parse(source)
    found = [
        f"{module}.{name}".rstrip(".")
        for module, name in imported(tree)
        if module.split(".")[0] in LIBRARIES and any(map(is_private, [*module.split("."), name]))
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
            found.append(ast.unparse(node))
    return [name for name in found if name not in EXCEPTIONS]


OWN = {name for path in FILES for name in defined(ast.parse(path.read_text()))}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_libraries_are_used_by_their_public_face(path: Path) -> None:
    assert private_names(path.read_text(), OWN) == []


@pytest.mark.parametrize(
    "source",
    [
        "from limits._storage_scheme import SCHEMES",
        "import flask_limiter._extension",
        "from sqlalchemy.pool.base import _ConnectionFairy",
        "engine.pool._invalidate(lent)",
        "class Mine(Limiter):\n    def f(self):\n        super()._check_request_limit()",
        "class Mine(Limiter):\n    def f(self):\n        return self._storage",
    ],
)
def test_a_private_name_is_found(source: str) -> None:
    assert private_names(source, OWN) != []
