"""Signs that only the number formats of a workbook show are those of its numbers."""

from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

import pytest

from app.tables.reading import Reading
from app.tables.workbooks.format_syntax import ShownSign, shown_sign
from tests.tables.tables import read_bytes, workbook

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
DEBIT, CREDIT = '""#,##,##0.00" Dr"', '""#,##,##0.00" Cr"'
DATES = [f"2024-01-{day:02}" for day in range(1, 13)]


def read(formats: Sequence[str], values: Sequence[float], *, is_last: bool = False) -> Reading:
    """Read a table of days: ``formats`` are those of its values, one for each, in turn."""
    codes = "".join(
        f'<numFmt numFmtId="{170 + n}" formatCode={quoteattr(code)}/>'
        for n, code in enumerate(formats)
    )
    styles = "".join(f'<xf numFmtId="{170 + n}"/>' for n in range(len(formats)))
    sheet = (
        f'<styleSheet xmlns="{MAIN}"><numFmts>{codes}</numFmts><cellStyleXfs><xf numFmtId="170"/>'
    )
    sheet += f'</cellStyleXfs><cellXfs><xf numFmtId="0"/>{styles}</cellXfs></styleSheet>'
    cells = [
        f'<c r="@" s="{1 + n % len(formats)}"><v>{value}</v></c>'.encode()
        for n, value in enumerate(values)
    ]
    rows = [["day", "balance"], *map(list, zip(DATES, cells, strict=True))]
    return read_bytes(workbook({"a": rows}, **{"xl/styles.xml": sheet.encode()}))


def values(reading: Reading) -> list[float]:
    return [*reading.series[0].values]


def test_a_credit_is_negative_beside_debits() -> None:
    reading = read([DEBIT, CREDIT], range(1, 13))
    assert values(reading) == [n if n % 2 else -n for n in range(1, 13)]
    [remark] = [remark for remark in reading.remarks if remark.code == "sign_of_format"]
    assert remark.remark.startswith("Numbers in 6 rows are negative")
    assert remark.rows == [3, 5, 7, 9, 11, 13]


def test_a_column_of_only_credits_keeps_its_sign() -> None:
    assert values(read([CREDIT], range(1, 13))) == [*range(1, 13)]
    assert values(read(["0.00", CREDIT], range(1, 13))) == [*range(1, 13)]


@pytest.mark.parametrize("code", ["-#,##0.00", '"("#,##0.00")"', "0.00-", '"-"0;"-"0'])
def test_a_minus_or_brackets_in_a_format_are_read(code: str) -> None:
    assert values(read([code, "0.00"], range(12))) == [n if n % 2 else -n for n in range(12)]
    assert values(read([code], range(-12, 0))) == [*range(-12, 0)]


def test_a_format_that_reverses_the_sign_is_read() -> None:
    assert values(read(["-0;0"], range(-6, 6))) == [-n for n in range(-6, 6)]


@pytest.mark.parametrize(
    "code",
    [
        "General",
        "#,##0.00;(#,##0.00)",
        "#,##0_);[Red](#,##0)",
        r'_(* #,##0.00_);_(* \(#,##0.00\);_(* "-"??_);_(@_)',
        r"_-* #,##0.00\ _€_-;-* #,##0.00\ _€_-",
        "000-0000",
        "0.00E-00",
        r"mmm\-yy",
        "yyyy-mm-dd",
        "[<0]-0;0",
        '"no. ("0")"',
        '"from - to "0',
    ],
)
def test_other_formats_show_no_sign(code: str) -> None:
    assert shown_sign(code) is None


def test_dr_and_cr_are_whole_words() -> None:
    assert shown_sign('0 "Cr."') is shown_sign('0" CR"') is ShownSign.CREDIT
    assert shown_sign('0 "Crates"') is None
    assert shown_sign("0.00" * 100 + "-") is None, "longer than a format of Excel"
