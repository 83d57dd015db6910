"""Write the table of members into docs/developing/engine.md, from the recipes themselves.

``python docs/list_members.py``
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from app.forecasting.calendar.frequency import Frequency  # noqa: E402
from app.forecasting.models.table import MODELS, Model  # noqa: E402

PAGE = ROOT / "docs/developing/engine.md"
FIRST, LAST = "<!-- members: make members -->\n", "<!-- end of members -->\n"
HEADER = "| Model | Frequency | Season | Members |\n|---|---|---|---|\n"


def main() -> None:
    """Replace the table on the page."""
    PAGE.write_text(page_with(table()))


def page_with(lines: str) -> str:
    """Return the page with ``lines`` as its table."""
    before, _, rest = PAGE.read_text().partition(FIRST)
    return before + FIRST + lines + LAST + rest.partition(LAST)[2]


def table() -> str:
    """Return the table in Markdown; frequencies with the same members share a row."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for model_id, model in MODELS.items():
        for frequency in Frequency:
            for season, members in members_of(model, frequency):
                rows.setdefault((model_id, season, members), []).append(str(frequency))
    lines = (
        f"| {model_id[-1]} | {', '.join(frequencies)} | {season} | {members} |\n"
        for (model_id, season, members), frequencies in rows.items()
    )
    return HEADER + "".join(lines)


def members_of(model: Model, frequency: Frequency) -> Iterator[tuple[str, str]]:
    """The members of a model at a frequency, with and without a season where they differ."""
    short = model.short.get(frequency)
    if short is not None:
        names = [member.name for member in short.members]
        ridge = [f"{short.ridge_share:.0%} ridge"] if short.ridge_share else []
        yield "any", joined([*names, *ridge])
        return
    long = model.long[frequency]
    yield "often seen", joined(member.name for member in long.seasonal)
    yield "none, or a year of weeks", joined(member.name for member in long.plain)


def joined(names: Iterable[str]) -> str:
    """The names, each once."""
    return ", ".join(dict.fromkeys(names))


if __name__ == "__main__":
    main()
