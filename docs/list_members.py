"""Write the table of members into docs/developing/members.md, from the recipes themselves.

``python docs/list_members.py``
"""

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app.forecasting.models.recipes import MODELS, Model
from docs.tables import Table

_Situation = tuple[str, str]  # a frequency, and what else the heading of its column says


def table() -> Table:
    """Return the table: a row per member, a column per situation, and in a cell the models.

    Frequencies with the same cells share a column.
    """
    columns: dict[_Situation, dict[str, str]] = {}  # models by member
    for model_id, model in MODELS.items():
        for situation, member in _memberships(model):
            models = columns.setdefault(situation, {})
            models[member] = f"{models.get(member, '').removesuffix(model_id[-1])}{model_id[-1]}"
    frequencies: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for (frequency, suffix), models in columns.items():
        frequencies.setdefault((suffix, tuple(models.items())), []).append(frequency)
    headings = [", ".join(names) + suffix for (suffix, _), names in frequencies.items()]
    cells = [dict(models) for _, models in frequencies]
    members = dict.fromkeys(member for models in cells for member in models)
    rows = [
        ["Member", *headings],
        ["---"] * (len(headings) + 1),
        *([name, *(", ".join(models.get(name, "")) for models in cells)] for name in members),
    ]
    lines = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return Table("docs/developing/members.md", "members", lines)


def _memberships(model: Model) -> Iterator[tuple[_Situation, str]]:
    """Yield the situations of a model, each with the name of a member that takes part in it."""
    for frequency, recipe in model.high_frequency.items():
        yield from (((frequency, ""), member.name) for member in recipe.seasonal)
    for frequency, recipe in model.high_frequency.items():
        yield from (((frequency, " without a season"), member.name) for member in recipe.plain)
    for frequency, low_recipe in model.low_frequency.items():
        yield from (((frequency, ""), member.name) for member in low_recipe.members)
        if low_recipe.ridge_weight:
            yield (frequency, ""), "ridge"


if __name__ == "__main__":
    table().write()
