"""Real pastes and what is read from each: the files in ``pastes``.

A paste is a list of lines, read with ``answers``. ``asks`` are the questions that are open then,
``offers`` those that need no answer, ``says`` is among all that is said. Then what is asked is
answered by ``then``, the likeliest of the choices, and gives one of ``series``. What cannot be read
is ``rejected``, ``at`` a row and column.
"""

import datetime as dt
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.tables.answers import DateOrder, DecimalMark, Duplicates, Fill, Layout
from app.tables.reading import Reading
from app.timeseries.calendar.frequency import Frequency
from tests.tables.tables import BOUNDS, read_text

_FOLDER = Path(__file__).with_name("pastes")
PASTES = {
    f"{file.stem}: {paste['name']}": paste
    for file in sorted(_FOLDER.glob("*.json"))
    for paste in json.loads(file.read_text())
}
_TYPES: dict[str, Any] = {
    "date_order": DateOrder,
    "decimal": DecimalMark,
    "duplicates": Duplicates,
    "fill": Fill,
    "layout": Layout,
    "columns": tuple,
    "start": dt.date.fromisoformat,
    "data_frequency": Frequency,
}


def read_paste(paste: dict[str, Any], answers: dict[str, Any]) -> Reading:
    bounds = replace(BOUNDS, max_points=paste.get("points", BOUNDS.max_points))
    typed = {name: _TYPES.get(name, int)(value) for name, value in answers.items()}
    return read_text(paste["paste"], bounds, **typed)
