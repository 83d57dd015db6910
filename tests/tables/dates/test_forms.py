"""The forms of dates: an example of each, and the parts of dates that their patterns name."""

import re
import subprocess
import sys

import pytest

from app.tables.dates import forms
from app.tables.dates.cells import match_form
from app.tables.dates.forms import DateForm
from app.tables.dates.month_names import WEEKDAY_MARK, fold_text, mark_weekdays


def listed_forms() -> dict[str, tuple[DateForm, ...]]:
    """Return the forms of each constant, by its name."""
    entries = {
        name: entry if isinstance(entry, tuple) else (entry,) for name, entry in vars(forms).items()
    }
    forms_by_name = {
        name: tuple(form for form in entry if isinstance(form, DateForm))
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


@pytest.mark.parametrize("name", listed_forms())
def test_the_pattern_of_several_forms_has_what_each_of_them_has(name: str) -> None:
    of_constant = listed_forms()[name]
    pattern = forms.pattern_of_any(of_constant)
    for form in of_constant:
        for cell in (form.example, f"{form.example}  ", f"w/e Tue {form.example} 12:30 (Tue)"):
            texts = mark_weekdays(fold_text(cell))
            if form.match(texts):
                assert any(map(pattern.fullmatch, texts)), cell


@pytest.mark.parametrize("name", ["Wednesday", "mar", "Do", "пн", "sam"])
@pytest.mark.parametrize(
    "text",
    [
        *("{} 2024-01-31", "{}, 31 mar 2024", "{}. 5 mar. 2024", "w/e {} 31.01.2024", "{}, Mar 5"),
        *("2024-01-31 ({})", "31 January 2024, {}. 12:00", "5 mar 2024 {}", "mar 5, 2024 ({})"),
    ],
)
def test_weekdays_before_and_after_a_date_are_found(text: str, name: str) -> None:
    cell = text.format(name)
    match = match_form(cell, forms.FORMS) or match_form(cell, forms.YEARLESS_FORMS)
    assert match is not None
    weekdays = [match[1].get(group) for group in ("weekday", "weekday_after")]
    assert [word.strip(" (),.") for word in weekdays if word] == [name.lower()]


def test_the_mark_of_a_weekday_is_none() -> None:
    assert match_form(f"{WEEKDAY_MARK} 2024-01-31", forms.FORMS) is None


def test_no_pattern_is_compiled_before_a_cell_is_matched() -> None:
    compiled = "[form for form in forms.FORMS if {*vars(form)} != {*form.__dataclass_fields__}]"
    code = f"from app.tables.dates import forms; assert forms.FORMS and not {compiled}"
    subprocess.run([sys.executable, "-c", code], check=True)


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
