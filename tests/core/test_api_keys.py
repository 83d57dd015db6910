"""What counts as a key in a name or a message, and what is shown of it."""

import pytest

from app.core.api_keys import generate_key, has_half_key, redact_key_parts, redact_stored_names

KEY = "ak_" + "0123456789abcdef" * 4
SHOWN_KEY = KEY[:11] + "…"


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        (KEY, SHOWN_KEY),
        (f"batch {KEY} of Bob", f"batch {SHOWN_KEY} of Bob"),
        (f"cpu-{KEY}.{KEY}", f"cpu-{SHOWN_KEY}.{SHOWN_KEY}"),
        (KEY[:3] + KEY[3:].upper(), KEY[:3] + KEY[3:11].upper() + "…"),
        (KEY[:40], SHOWN_KEY),
    ],
)
def test_a_key_in_a_name_is_seen_and_cut(name, hidden) -> None:
    assert has_half_key(name)
    assert redact_stored_names(name) == hidden


@pytest.mark.parametrize(
    "name", ["", "ak_", KEY[:11], "peak_2027013100", "break_deadbeef01", "cpu"]
)
def test_other_names_are_not_keys(name) -> None:
    assert not has_half_key(name)
    assert redact_stored_names(name) == name


def test_only_the_key_to_be_shown_is_shown() -> None:
    other = generate_key()
    assert redact_stored_names(f"{KEY} {other}", KEY) == f"{KEY} {other[:11]}…"


def test_a_message_shows_not_even_a_part_of_a_key_beyond_its_prefix() -> None:
    assert redact_key_parts(f"{KEY} {KEY[:12]}") == f"{SHOWN_KEY} {SHOWN_KEY}"
