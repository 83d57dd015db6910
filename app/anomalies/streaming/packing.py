"""A component as bytes and back: a version and numbers, no pickle."""

from array import array
from collections.abc import Iterator
from typing import Any

# Increase this whenever the stored attributes, their order or their meaning change. A test compares
# it with the names of the attributes.
_VERSION = 13.0


def pack(component: object) -> bytes:
    """Return all attributes: numbers, lists of floats, tuples of integers, and components."""
    numbers = [_VERSION]
    _append_numbers(component, numbers)
    return array("d", numbers).tobytes()


def _append_numbers(component: object, numbers: list[float]) -> None:
    for value in vars(component).values():
        if isinstance(value, (bool, int, float)):
            numbers.append(value)
        elif isinstance(value, (list, tuple)):
            numbers.append(len(value))
            numbers.extend(value)
        else:
            _append_numbers(value, numbers)


def unpack(packed: bytes, component: object) -> None:
    """Restore ``packed`` into a new component of the same class.

    Raises:
        ValueError: It was packed by another version, or is not a state.
    """
    numbers = array("d")
    if len(packed) % numbers.itemsize:
        raise ValueError("not a state: its length is not that of numbers")
    numbers.frombytes(packed)
    if not numbers or numbers[0] != _VERSION:
        raise ValueError(f"not a state of version {_VERSION:g}")
    following = iter(numbers.tolist()[1:])
    try:
        _restore_attributes(component, following)
    except StopIteration:
        raise ValueError("the state is truncated") from None
    if next(following, None) is not None:
        raise ValueError("the state is longer than its attributes")


def _restore_attributes(component: Any, numbers: Iterator[float]) -> None:
    for name, value in list(vars(component).items()):
        if isinstance(value, (bool, int, float)):
            setattr(component, name, type(value)(next(numbers)))
        elif isinstance(value, (list, tuple)):
            items = [next(numbers) for _ in range(int(next(numbers)))]
            setattr(component, name, tuple(map(int, items)) if isinstance(value, tuple) else items)
        else:
            _restore_attributes(value, numbers)
