"""The file of learned numbers: how it is written, and how a number typed in by hand is detected."""

import hashlib
import json
import re
from typing import Any

from app.forecasting.intervals.learned import LEARNED_FILE
from benchmarks.calibrate import SEED
from benchmarks.series import DATA

# The data that numbers are learned from.
LEARNED_FROM = ("dev.jsonl.gz", "near-duplicates.json")

Kinds = dict[str, dict[str, Any]]
"""By kind: its ``numbers``, as ``learned.load`` reads them, and their data and seed."""


def data_digest() -> str:
    """SHA-256 of the shipped data."""
    digest = hashlib.sha256()
    for name in LEARNED_FROM:
        digest.update((DATA / name).read_bytes())
    return digest.hexdigest()


def checksum(kinds: Kinds) -> str:
    """SHA-256 of all numbers with their data and seed, in one canonical form."""
    return hashlib.sha256(json.dumps(kinds, sort_keys=True).encode()).hexdigest()


def read() -> tuple[str, Kinds]:
    """Return the checksum in the file, and the content that it belongs to."""
    content = json.loads(LEARNED_FILE.read_text(encoding="utf-8"))
    return content["checksum"], content["kinds"]


def entry(numbers: Any) -> dict[str, Any]:
    """Return newly learned numbers with their data and seed."""
    return {"data_sha256": data_digest(), "seed": SEED, "numbers": numbers}


def render(kinds: Kinds) -> str:
    """Return the text of the file, one row of numbers a line."""
    text = json.dumps({"checksum": checksum(kinds), "kinds": kinds}, indent=2)
    row = re.compile(r"\[([^\[\]]*)\]")
    return row.sub(lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"


def write(kind: str, numbers: Any) -> None:
    """Replace the numbers of one kind."""
    _, kinds = read()
    LEARNED_FILE.write_text(render(kinds | {kind: entry(numbers)}), encoding="utf-8")
