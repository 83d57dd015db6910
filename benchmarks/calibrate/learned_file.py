"""The file of learned numbers: how it is written, and how a number typed in by hand is detected."""

import hashlib
import json
import re
from dataclasses import fields
from typing import Any

from app.forecasting.intervals.learned import LEARNED_FILE, LowFrequencyWidths
from app.forecasting.models.recipes import MODELS
from benchmarks.calibrate import SEED
from benchmarks.series import DATA

LEARNED_FROM = ("dev.jsonl.gz", "near-duplicates.json")  # the data that numbers are learned from

# By kind: its ``numbers``, as ``load_learned`` reads them, and what they were learned with.
Kinds = dict[str, dict[str, Any]]


def data_digest() -> str:
    """SHA-256 of the shipped data."""
    digest = hashlib.sha256()
    for name in LEARNED_FROM:
        digest.update((DATA / name).read_bytes())
    return digest.hexdigest()


def recipe_digest() -> str:
    """SHA-256 of the members and settings of all models, to which the learned widths belong."""
    recipes = [
        (
            model_id,
            frequency.value,
            *(_setting(getattr(recipe, field.name)) for field in fields(recipe)),
        )
        for model_id, model in MODELS.items()
        for by_frequency in (model.low_frequency, model.high_frequency)
        for frequency, recipe in by_frequency.items()
    ]
    return hashlib.sha256(json.dumps(recipes).encode()).hexdigest()


def _setting(value: Any) -> Any:
    """Return members and functions by name, and None for the learned widths themselves."""
    if isinstance(value, tuple):
        return [member.name for member in value]
    return None if isinstance(value, LowFrequencyWidths) else getattr(value, "__name__", value)


def checksum(kinds: Kinds) -> str:
    """SHA-256 of all numbers with their data, recipes and seed, in one canonical form."""
    return hashlib.sha256(json.dumps(kinds, sort_keys=True).encode()).hexdigest()


def read() -> tuple[str, Kinds]:
    """Return the checksum in the file, and the content that it belongs to."""
    content = json.loads(LEARNED_FILE.read_text(encoding="utf-8"))
    return content["checksum"], content["kinds"]


def entry(numbers: Any) -> dict[str, Any]:
    """Return newly learned numbers with what they were learned with."""
    return {
        "data_sha256": data_digest(),
        "recipes_sha256": recipe_digest(),
        "seed": SEED,
        "numbers": numbers,
    }


def render(kinds: Kinds) -> str:
    """Return the text of the file, one row of numbers a line."""
    text = json.dumps({"checksum": checksum(kinds), "kinds": kinds}, indent=2)
    row = re.compile(r"\[([^\[\]]*)\]")
    return row.sub(lambda match: f"[{' '.join(match[1].split())}]", text) + "\n"


def write(kind: str, numbers: Any) -> None:
    """Replace the numbers of one kind."""
    _, kinds = read()
    LEARNED_FILE.write_text(render(kinds | {kind: entry(numbers)}), encoding="utf-8")
