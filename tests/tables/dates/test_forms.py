"""The forms of dates: an example of each, and the parts of dates that their patterns name."""

import re

import pytest

from app.tables.dates import forms
from app.tables.dates.cells import match_form
from app.tables.dates.forms import DateForm


def listed_forms() -> dict[str, list[DateForm]]:
    """Return the forms of each constant, by its name."""
    entries = {
        name: entry if isinstance(entry, tuple) else (entry,) for name, entry in vars(forms).items()
    }
    forms_by_name = {
        name: [form for form in entry if isinstance(form, DateForm)]
        for name, entry in entries.items()
    }
    return {name: of_constant for name, of_constant in forms_by_name.items() if of_constant}


@pytest.mark.parametrize("name", listed_forms())
def test_the_example_of_each_form_is_a_cell_that_no_form_before_it_has(name: str) -> None:
    of_constant = listed_forms()[name]
    for form in of_constant:
        match = match_form(form.example, of_constant)
        assert match is not None, form.example
        assert match[0] is form, (form.example, match[0].example)


def test_each_part_of_a_date_is_explained() -> None:
    groups = {
        group
        for of_constant in listed_forms().values()
        for form in of_constant
        for group in form.pattern.groupindex
    }
    words = {*re.findall("``([a-z_]+)``", forms.__doc__ or "")}
    assert words - groups == {"fold_text", "third", "gregorian"}
    assert groups - words == set()
