"""The state of a detector as one array of bytes: no pickle, a version in front."""

from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

ByteArray = npt.NDArray[np.uint8]

# Grows whenever what is stored, or its order, changes.
_VERSION = 2
_MOST_SETTINGS = 16
# What a state is made of, the most frequent first; bool is an int.
_LEAVES = (float, int, list, np.ndarray)


def pack(settings: tuple[float, ...], component: object) -> ByteArray:
    """Return the settings and all numbers and arrays of a component, shape (bytes,).

    A component's state is its attributes: numbers, lists of numbers, arrays, and components in
    turn. What attributes there are and how long each is must follow from the settings alone.
    """
    numbers: list[float] = []
    arrays: list[npt.NDArray[Any]] = []
    for _, _, value in _leaves(component):
        if isinstance(value, np.ndarray):
            arrays.append(value)
        elif isinstance(value, list):
            numbers += value
        else:
            numbers.append(value)
    head = np.array((_VERSION, len(settings), *settings, *numbers), dtype=np.float64)
    return np.frombuffer(b"".join([head.tobytes(), *(a.tobytes() for a in arrays)]), np.uint8)


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
    leaves = _leaves(component)
    arrays = [value for _, _, value in leaves if isinstance(value, np.ndarray)]
    count = sum(len(value) if isinstance(value, list) else 1 for _, _, value in leaves)
    start = 16 + 8 * len(settings_of(packed))
    at = start + 8 * (count - len(arrays))
    if len(packed) != at + sum(array.nbytes for array in arrays):
        raise ValueError("the state has not the length that its settings ask for")
    numbers = iter(packed[start:at].view(np.float64).tolist())
    for array in arrays:
        array[...] = packed[at : at + array.nbytes].view(array.dtype).reshape(array.shape)
        at += array.nbytes
    for holder, name, value in leaves:
        if isinstance(value, list):
            value[:] = islice(numbers, len(value))
        elif not isinstance(value, np.ndarray):
            setattr(holder, name, type(value)(next(numbers)))


def _leaves(component: object) -> list[tuple[object, str, Any]]:
    """The numbers, lists and arrays of a component, and whose attributes they are."""
    leaves: list[tuple[object, str, Any]] = []
    for name, value in vars(component).items():
        if isinstance(value, _LEAVES):
            leaves.append((component, name, value))
        else:
            leaves += _leaves(value)
    return leaves
