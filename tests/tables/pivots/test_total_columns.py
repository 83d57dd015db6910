"""Columns of totals beside the periods of a pivot are left out, also ones without a name."""

from tests.tables.tables import notes_of, read_text, requirements

ROWS = {"Bolt": [5036, 6067, 4022], "Nut": [7298, 6338, 5104], "Pad": [77, 90, 81]}
MONTHS = ("January 2026", "February 2026", "March 2026")


def pivot(last: str, added: int = 0) -> list[str]:
    """Return a pivot of Odoo: months, below them the measure, and a last column of totals."""
    rows = [
        f"{name};{';'.join(map(str, values))};{sum(values) + added}"
        for name, values in ROWS.items()
    ]
    return [f";{';'.join(MONTHS)};{last}", f"{';Quantity' * 4}", *rows]


def test_an_unnamed_last_column_of_totals_is_not_the_last_month_again() -> None:
    for last in ("", "Total"):
        reading = read_text(pivot(last))
        assert requirements(reading) == []
        assert {series.name: series.values for series in reading.series} == ROWS
        assert "Left out, beside the periods" in notes_of(reading)


def test_a_last_column_that_has_other_numbers_opens_a_question() -> None:
    assert requirements(read_text(pivot("", added=1))) == ["duplicates"]
