"""Fields that say what they are."""

import dataclasses

import pytest

from app.core.record_fields import described_field, is_valid_name


def test_a_described_field_keeps_its_default_and_its_keywords() -> None:
    @dataclasses.dataclass
    class Thing:
        width: float = described_field("In metres.", minimum=0, default=1.5)
        labels: list = described_field("Labels.", default_factory=list)

    (width, _labels) = dataclasses.fields(Thing)
    assert width.metadata == {"description": "In metres.", "minimum": 0}
    assert (Thing().width, Thing().labels) == (1.5, [])
    assert Thing().labels is not Thing().labels


@pytest.mark.parametrize(
    ("name", "is_valid"), {"ops": True, ".a": True, "..": False, "": False, "A": False}.items()
)
def test_a_name_has_no_capitals_and_is_not_only_dots(name: str, is_valid: bool) -> None:
    assert is_valid_name(name) is is_valid
    assert not is_valid_name("a" * 101)
