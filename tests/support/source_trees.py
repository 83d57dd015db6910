"""The project's modules as syntax trees, which a process parses once."""

import ast
import functools
import gc

from tests.support.server import ROOT


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
