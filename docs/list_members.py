"""Write the table of members into docs/developing/engine.md, from the recipes themselves.

``python docs/list_members.py``
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app.forecasting.models.recipes import MODELS, Model
from app.timeseries.calendar.frequency import Frequency
from docs.tables import Table

HEADER = "| Model | Frequency | Season | Members |\n|---|---|---|---|\n"


def table() -> Table:
    """Return the table; frequencies with the same members share a row."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for model_id, model in MODELS.items():
        for frequency in Frequency:
            for season, members in members_of(model, frequency):
                rows.setdefault((model_id, season, members), []).append(str(frequency))
    lines = (
        f"| {model_id[-1]} | {', '.join(frequencies)} | {season} | {members} |\n"
        for (model_id, season, members), frequencies in rows.items()
    )
    return Table("docs/developing/engine.md", "members", HEADER + "".join(lines))


def members_of(model: Model, frequency: Frequency) -> Iterator[tuple[str, str]]:
    """The members of a model at a frequency, with and without a season where they differ."""
    low_frequency = model.low_frequency.get(frequency)
    if low_frequency is not None:
        names = [member.name for member in low_frequency.members]
        ridge_weight = low_frequency.ridge_weight
        yield "any", joined([*names, *([f"{ridge_weight:.0%} ridge"] if ridge_weight else [])])
        return
    recipe = model.high_frequency[frequency]
    yield "often seen", joined(member.name for member in recipe.seasonal)
    yield "none, or a year of weeks", joined(member.name for member in recipe.plain)


def joined(names: Iterable[str]) -> str:
    """The names, each once."""
    return ", ".join(dict.fromkeys(names))


if __name__ == "__main__":
    table().write()
