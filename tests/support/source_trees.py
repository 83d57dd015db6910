"""The project's modules as syntax trees, which a process parses once, and its lines."""

import ast
import functools
import gc
from collections.abc import Iterator

from tests.support.programs import output_of
from tests.support.server import ROOT

READ_BY_PEOPLE = ["*.md", "*.py", "*.html", "*.js", "*.json", "*.yml", "*.service"]
# The page and the tests have to name what they avoid; released documents stay as they are, and
# other people's code is not ours to write.
LEFT_OUT = [
    "docs/developing/style.md", "tests/test_style.py", "tests/test_names.py",
    "tests/integration/compatibility", "app/web/pages/vendor",
]  # fmt: skip
# A list of these is an eighth as long to go through as all nodes are to walk through.
NAMED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Name | ast.arg


@functools.cache
def trees_of(folder: str) -> dict[str, ast.Module]:
    """Return the tree of each module in a folder by the module's path.

    Garbage collection would take three quarters of the time: all of it is kept.
    """
    gc.disable()
    try:
        paths = sorted((ROOT / folder).rglob("*.py"))
        return {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in paths}
    finally:
        gc.freeze()
        gc.enable()


@functools.cache
def named_nodes_of(folder: str) -> list[tuple[str, ast.AST]]:
    return [
        (path, node)
        for path, tree in trees_of(folder).items()
        for node in ast.walk(tree)
        if isinstance(node, NAMED)
    ]


def nodes_of(*folders: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield the modules in the folders, and what has a name in them, with the module's path."""
    for folder in folders:
        yield from named_nodes_of(folder)


@functools.cache
def lines() -> list[tuple[str, str]]:
    """Return every line that people read, with its file and number."""
    pathspec = [*READ_BY_PEOPLE, *(f":!{path}" for path in LEFT_OUT)]
    command = ["git", "grep", "-I", "--line-number", "", "--", *pathspec]
    split = (line.split(":", 2) for line in output_of(command).splitlines())
    return [(f"{file}:{number}", text) for file, number, text in split]
