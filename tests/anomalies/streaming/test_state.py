"""The state as bytes: everything comes back, and nothing else is taken for a state."""

import numpy as np
import pytest

from app.anomalies.streaming.state import pack, settings_of, unpack

SETTINGS = (24.0, 0.01, 0.0)


class Part:
    def __init__(self) -> None:
        self.numbers = [0.0, 0.0]
        self.single = np.zeros((2, 2), dtype=np.float32)


class Whole:
    def __init__(self) -> None:
        self.count, self.share, self.is_open = 0, 0.0, False
        self.part = Part()
        self.bytes = np.zeros(3, dtype=np.uint8)


def filled() -> Whole:
    whole = Whole()
    whole.count, whole.share, whole.is_open = 7, 0.1, True
    whole.part.numbers[:] = [1 / 3, -1e100]
    whole.part.single[:] = [[1.5, 2.5], [np.inf, -4.0]]
    whole.bytes[:] = [1, 2, 255]
    return whole


def test_a_component_comes_back_with_its_types() -> None:
    packed = pack(SETTINGS, filled())
    back = Whole()
    unpack(packed, back)
    assert (back.count, back.share, back.is_open) == (7, 0.1, True)
    assert type(back.count) is int
    assert type(back.is_open) is bool
    assert back.part.numbers == [1 / 3, -1e100]
    np.testing.assert_array_equal(back.part.single, filled().part.single)
    np.testing.assert_array_equal(back.bytes, [1, 2, 255])
    np.testing.assert_array_equal(pack(SETTINGS, back), packed)


def test_the_settings_are_read_without_the_component() -> None:
    assert settings_of(pack(SETTINGS, filled())) == SETTINGS


def test_what_comes_back_shares_no_memory_with_the_bytes() -> None:
    packed = pack(SETTINGS, filled()).copy()
    back = Whole()
    unpack(packed, back)
    packed[:] = 0
    np.testing.assert_array_equal(back.bytes, [1, 2, 255])


@pytest.mark.parametrize("change", [-1, 1])
def test_a_state_of_another_length_is_refused(change: int) -> None:
    packed = np.resize(pack(SETTINGS, filled()), len(pack(SETTINGS, filled())) + change)
    with pytest.raises(ValueError, match="length"):
        unpack(packed, Whole())


@pytest.mark.parametrize("length", [0, 7, 8, 16, 32])
def test_what_ends_too_early_is_no_state(length: int) -> None:
    with pytest.raises(ValueError, match="state"):
        settings_of(pack(SETTINGS, filled())[:length])
