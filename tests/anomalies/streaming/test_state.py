"""The state as bytes: everything comes back, and nothing else is taken for a state."""

from array import array

import pytest

from app.anomalies.streaming.state import pack, unpack


class Part:
    def __init__(self) -> None:
        self.numbers = [0.0]
        self.whole = array("q", [1])


class Whole:
    def __init__(self) -> None:
        self.count, self.share, self.is_open = 0, 0.0, False
        self.part = Part()
        self.empty = [0.0] * 0
        self.last = 0.0


def filled() -> Whole:
    whole = Whole()
    whole.count, whole.share, whole.is_open, whole.last = 7, 0.1, True, 5e-324
    whole.part.numbers = [1 / 3, -1e100, -0.0]
    whole.part.whole = array("q", [24, 168])
    return whole


def test_a_component_comes_back_exactly_and_with_its_types() -> None:
    back = Whole()
    unpack(pack(filled()), back)
    assert (back.count, back.share, back.is_open, back.last) == (7, 0.1, True, 5e-324)
    assert (type(back.count), type(back.is_open)) == (int, bool)
    assert back.part.numbers == [1 / 3, -1e100, -0.0]
    assert back.part.whole == array("q", [24, 168])
    assert back.empty == []
    assert pack(back) == pack(filled())


def test_lists_may_be_longer_than_in_a_new_component() -> None:
    whole = filled()
    whole.empty = [float(each) for each in range(100)]
    back = Whole()
    unpack(pack(whole), back)
    assert (back.empty, back.last) == (whole.empty, whole.last)


@pytest.mark.parametrize("cut", [1, 7, 12, -1, -4])
def test_bytes_that_are_not_numbers_are_refused(cut: int) -> None:
    with pytest.raises(ValueError, match="length is not that of numbers"):
        unpack(pack(filled())[:cut], Whole())


@pytest.mark.parametrize("numbers", [1, 2, 5, 8])
def test_a_truncated_state_is_refused(numbers: int) -> None:
    with pytest.raises(ValueError, match="truncated"):
        unpack(pack(filled())[: 8 * numbers], Whole())


def test_a_state_with_something_behind_it_is_refused() -> None:
    with pytest.raises(ValueError, match="longer"):
        unpack(pack(filled()) + bytes(8), Whole())


@pytest.mark.parametrize("version", [0.0, 4.0, 1e100, float("nan")])
def test_a_state_of_another_version_is_refused(version: float) -> None:
    packed = array("d", [version]).tobytes() + pack(filled())[8:]
    with pytest.raises(ValueError, match="version"):
        unpack(packed, Whole())


def test_nothing_is_not_a_state() -> None:
    with pytest.raises(ValueError, match="version"):
        unpack(b"", Whole())
