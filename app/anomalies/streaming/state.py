"""Serialise the state of a detector as an array of bytes with a version, without pickle."""

from array import array
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

ByteArray = npt.NDArray[np.uint8]

# Increase this whenever the stored data or its order changes.
_VERSION = 3
_MOST_SETTINGS = 16


@dataclass(frozen=True)
class _Layout:
    """The names of a class's attributes by kind; numbers that are not floats have their type."""

    numbers: list[str] = field(default_factory=list)
    wholes: list[tuple[str, type]] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)
    components: list[str] = field(default_factory=list)


_Part = tuple[_Layout, dict[str, Any]]
# Cached by class: each append needs them.
_layouts: dict[type, _Layout] = {}


def pack(settings: tuple[float, ...], component: object) -> ByteArray:
    """Return the settings and all numbers and arrays of a component, shape (bytes,).

    A component's state is its attributes: numbers, lists of numbers, arrays, and components. The
    names, types and lengths of the attributes must depend only on the settings.
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
    """Return the settings in ``packed``.

    Raises:
        ValueError: It was packed by another version, or is not a state.
    """
    head = packed[: len(packed) // 8 * 8].view(np.float64)[:_MOST_SETTINGS]
    if len(head) < 2 or head[0] != _VERSION:
        raise ValueError(f"not a state of version {_VERSION}")
    settings = tuple(head[2 : 2 + int(head[1])].tolist())
    if len(settings) < head[1]:
        raise ValueError("the state is truncated within its settings")
    return settings


def unpack(packed: ByteArray, component: object) -> None:
    """Restore ``packed`` into a component built from the same settings.

    Raises:
        ValueError: The length does not match the component.
    """
    parts = _parts(component)
    arrays = [values[name] for layout, values in parts for name in layout.arrays]
    lists = [values[name] for layout, values in parts for name in layout.lists]
    count = sum(len(layout.numbers) for layout, _ in parts) + sum(map(len, lists))
    start = 16 + 8 * len(settings_of(packed))
    at = start + 8 * count
    if len(packed) != at + sum(one.nbytes for one in arrays):
        raise ValueError("the length of the state does not match its settings")
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
    """Return a component and its nested components, with their attributes."""
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
