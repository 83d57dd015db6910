"""Write docs/proof.md from docs/promises.toml: promises, their tests, their latest figures.

``python docs/list_promises.py``
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.tables import ROOT, Table

PROMISES: list[dict[str, Any]] = tomllib.loads((ROOT / "docs/promises.toml").read_text())[
    "promises"
]
HEADER = "| Promise | Tests | Measured by | Latest figures |\n|---|---|---|---|\n"


def table() -> Table:
    """Return the tables, one for each area.

    Raise LookupError if a page does not have a figure that is quoted from it.
    """
    return Table("docs/proof.md", "proof", "".join(_lines()))


def _lines() -> Iterator[str]:
    for area, promises in groupby(PROMISES, lambda promise: promise["area"]):
        yield f"\n## {area}\n\n{HEADER}"
        yield from map(_row, promises)


def _row(promise: dict[str, Any]) -> str:
    tests = "<br>".join(f"`{test}`" for test in promise["tests"])
    commands = "<br>".join(f"`make {command}`" for command in promise.get("commands", []))
    quoted = promise.get("figures", [])
    figures = [_quotation(**figure) for figure in quoted]
    for page in dict.fromkeys(figure["page"] for figure in quoted):
        title = (ROOT / "docs" / page.partition("#")[0]).read_text().splitlines()[0]
        figures.append(f"[{title.lstrip('# ')}]({page})")
    return f"| {promise['promise']} | {tests} | {commands} | {' '.join(figures)} |\n"


def _quotation(page: str, pattern: str, text: str) -> str:
    """Return a figure as its page has it now; the only row or sentence with the pattern has it."""
    section = _section(page)
    if is_row := pattern.startswith("|"):
        places = [line for line in section.splitlines() if line.startswith("|")]
    else:
        places = [re.sub(r"\s+", " ", section)]
    find = re.fullmatch if is_row else re.search
    expression = re.escape(pattern).replace(r"\{\}", "([^|]+?)")
    matches = [match for place in places if (match := find(expression, place))]
    if len(matches) != 1:
        raise LookupError(f"docs/{page} has {len(matches)} places with {pattern!r}, not one")
    return text.format(*(part.replace("**", "") for part in matches[0].groups()))


def _section(page: str) -> str:
    """Return the text of a page, or of the section that an anchor names."""
    path, _, anchor = page.partition("#")
    lines = (ROOT / "docs" / path).read_text().splitlines()
    if not anchor:
        return "\n".join(lines)
    starts = [number for number, line in enumerate(lines) if _anchor(line) == anchor]
    if not starts:
        raise LookupError(f"docs/{path} has no section #{anchor}")
    level = len(lines[starts[0]].split()[0])
    end = re.compile(rf"#{{1,{level}}} ")
    return "\n".join(takewhile(lambda line: not end.match(line), lines[starts[0] + 1 :]))


def _anchor(line: str) -> str:
    """Return the anchor that a forge gives to a heading; of other lines none."""
    if not line.startswith("#"):
        return ""
    return re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")


if __name__ == "__main__":
    table().write()
