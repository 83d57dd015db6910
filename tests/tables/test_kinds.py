"""Tables of many makers and countries are read right, with at most one question."""

import re
from dataclasses import fields
from typing import Any

import pytest

from app.tables.answers import (
    Answers,
    DateOrder,
    DecimalMark,
    Duplicates,
    Fill,
    Layout,
    PeriodAggregation,
)
from app.tables.errors import UnreadableTableError
from tests.tables.kinds import (
    agencies,
    banks,
    books,
    calendars,
    devices,
    exports,
    layouts,
    meters,
    months,
    operations,
    planners,
    regressions,
    reports,
    services,
    trade,
    trades,
)
from tests.tables.kinds.case import Case
from tests.tables.tables import notes_of, read_bytes, requirements

ALL_CASES: list[Case] = [
    case
    for module in (
        regressions,
        books,
        trade,
        meters,
        operations,
        banks,
        planners,
        calendars,
        months,
        layouts,
        exports,
        trades,
        agencies,
        reports,
        services,
        devices,
    )
    for case in module.CASES
]
CASES = {case.name: case for case in ALL_CASES}
_PARAMETER = re.compile(rf"`|\b({'|'.join(field.name for field in fields(Answers))})=")
TYPES: dict[str, Any] = {
    "date_order": DateOrder,
    "decimal": DecimalMark,
    "duplicates": Duplicates,
    "fill": Fill,
    "layout": Layout,
    "per": PeriodAggregation,
}


def test_no_case_hides_another_of_the_same_name() -> None:
    assert len(CASES) == len(ALL_CASES)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_table_is_read_right(case: Case) -> None:
    if case.rejected:
        with pytest.raises(UnreadableTableError, match=case.rejected):
            read_bytes(case.body)
        return
    reading = read_bytes(case.body)
    assert requirements(reading) == [*case.asks]
    assert len(case.asks) <= 1
    assert case.says in notes_of(reading)
    remarks_text = " ".join(remark.remark for remark in reading.remarks)
    assert not _PARAMETER.search(remarks_text)
    if case.asks:
        assert reading.series == []
    if case.then:
        answers = {name: TYPES.get(name, lambda x: x)(x) for name, x in case.then.items()}
        reading = read_bytes(case.body, **answers)
    by_name = {series.name: series for series in reading.series}
    assert [*by_name] == [*case.series]
    for name, values in case.series.items():
        assert by_name[name].values == pytest.approx([*values], abs=1e-9)
    series = reading.series[0]
    assert series.timestamps[0].startswith(case.first)
    assert series.data_frequency == case.frequency
