"""The parts of dates, which the patterns of forms name, are explained where these are."""

import re

from app.tables.dates import forms


def test_each_part_of_a_date_is_explained() -> None:
    groups = {
        group
        for entry in vars(forms).values()
        for form in (entry if isinstance(entry, tuple) else (entry,))
        if isinstance(form, forms.DateForm)
        for group in form.pattern.groupindex
    }
    words = {*re.findall("``([a-z_]+)``", forms.__doc__ or "")}
    assert words - groups == {"fold_text", "third", "gregorian"}
    assert groups - words == set()
