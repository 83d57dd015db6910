"""The state of a detector as one array of bytes: no pickle, a version in front."""

from array import array
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

ByteArray = npt.NDArray[np.uint8]

# Grows whenever what is stored, or its order, changes.
_VERSION = 3
_MOST_SETTINGS = 16


@dataclass(frozen=True)
class _Layout:
    """The names of a class' attributes, by what they are; those numbers that are not floats have
    their type."""

    numbers: list[str] = field(default_factory=list)
    wholes: list[tuple[str, type]] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)
    components: list[str] = field(default_factory=list)


_Part = tuple[_Layout, dict[str, Any]]
# By class, found once: each append asks for them.
_layouts: dict[type, _Layout] = {}


def pack(settings: tuple[float, ...], component: object) -> ByteArray:
    """Return the settings and all numbers and arrays of a component, shape (bytes,).

    A component's state is its attributes: numbers, lists of numbers, arrays, and components in
    turn. What attributes there are, of what type, and how long each is must follow from the
    settings alone.
    """
    numbers: list[float] = []
    arrays: list[npt.NDArray[Any]] = []
    for layout, values in _parts(component):
        numbers += [values[name] for name in layout.numbers]
        for name in layout.lists:
            numbers += values[name]
        arrays += [values[name] for name in layout.arrays]
    head = array("d", (_VERSION, len(settings), *settings, *numbers))
    return np.frombuffer(b"".join([head, *(one.data for one in arrays)]), np.uint8)


def settings_of(packed: ByteArray) -> tuple[float, ...]:
    """Return the settings that ``packed`` was made with.

    Raises:
        ValueError: It was packed by another version, or is no state.
    """
    head = packed[: len(packed) // 8 * 8].view(np.float64)[:_MOST_SETTINGS]
    if len(head) < 2 or head[0] != _VERSION:
        raise ValueError(f"this is no state of version {_VERSION}")
    settings = tuple(head[2 : 2 + int(head[1])].tolist())
    if len(settings) < head[1]:
        raise ValueError("the state ends within its settings")
    return settings


def unpack(packed: ByteArray, component: object) -> None:
    """Put what ``packed`` holds into a component built from the same settings.

    Raises:
        ValueError: The length is not that of such a component's state.
    """
    parts = _parts(component)
    arrays = [values[name] for layout, values in parts for name in layout.arrays]
    lists = [values[name] for layout, values in parts for name in layout.lists]
    count = sum(len(layout.numbers) for layout, _ in parts) + sum(map(len, lists))
    start = 16 + 8 * len(settings_of(packed))
    at = start + 8 * count
    if len(packed) != at + sum(one.nbytes for one in arrays):
        raise ValueError("the state has not the length that its settings ask for")
    numbers = iter(np.frombuffer(packed, np.float64, count, start).tolist())
    memory = packed.data
    for one in arrays:
        one.data.cast("B")[:] = memory[at : at + one.nbytes]
        at += one.nbytes
    for layout, values in parts:
        values.update(zip(layout.numbers, numbers, strict=False))
        for name, kind in layout.wholes:
            values[name] = kind(values[name])
        for name in layout.lists:
            values[name][:] = islice(numbers, len(values[name]))


def _parts(component: object) -> list[_Part]:
    """A component and those in it, with their attributes."""
    values = vars(component)
    layout = _layouts.get(type(component)) or _layouts.setdefault(
        type(component), _layout_of(values)
    )
    parts = [(layout, values)]
    for name in layout.components:
        parts += _parts(values[name])
    return parts


def _layout_of(values: dict[str, Any]) -> _Layout:
    layout = _Layout()
    for name, value in values.items():
        if isinstance(value, float | int):  # bool is an int
            layout.numbers.append(name)
            if not isinstance(value, float):
                layout.wholes.append((name, type(value)))
        elif isinstance(value, list):
            layout.lists.append(name)
        elif isinstance(value, np.ndarray):
            layout.arrays.append(name)
        else:
            layout.components.append(name)
    return layout
