"""Files made to be slow or large to read end quickly and small: series, questions or errors."""

import functools

import pytest

from app.ops.engine_libraries import warm_up_reading
from app.tables.answers import Answers
from app.tables.errors import UnreadableTableError, WrongAnswerError
from app.tables.reading import Reading
from tests.tables.hostile_cells import CELLS
from tests.tables.hostile_files import BOUNDS, FILES, MEBIBYTE, Outcome, line_of, read_apart
from tests.tables.hostile_tables import SHAPES, WHOLE_SHAPES
from tests.tables.hostile_texts import text_makers
from tests.tables.hostile_workbooks import XML
from tests.tables.tables import workbook

MAX_SECONDS = 1.0  # of CPU time, on a machine that has nothing else to do
MAX_SECONDS_HONEST = 2.0
MAX_SECONDS_SMALL = 0.2  # of 32 kB, which anyone may send
MAX_SMALLER_FRACTION = 0.4  # of these, for a text that is an eighth as large
MAX_GROWTH_MEBIBYTES = 300
MAX_ISSUE_LENGTH = 1_500
# As much honest work as a body may hold. Nothing of it can be rejected, so it may take longer.
HONEST = {
    "the newest row first", "spaces between columns", "two series, a date each", "501 series",
    "half of the dates are words", "half of the values are words", "parts of dates", "seasons",
    "no order of day and month", "days without a year", "years of two digits", "weeks",
    "offsets of all kinds", "dates of all forms", "one date, 350,000 times", "months across",
    "names in 40 columns", "names in 8 columns", "4,999 days across", "50,000 rows",
    "200 columns of fiscal years",
    "25,000 rows of 18 columns", "100,000 rows of three series", "months without a year",
    "cells: half a million numbers", "a string of 150 characters, 100,000 times",
    "30 sheets of 200 columns", "ods: a million cells", "ods: 50,000 rows", "ods: styles",
    "json: 100,000 days", "json: 40,000 records", "hours, and again ten years later",
}  # fmt: skip
# Texts as large as a body may be. `make soak` reads the others as large.
LARGE = {
    "repeated: quotation marks and commas", "repeated: comments", "values: brackets",
    "dates: months", "noise of digits", "two series, a date each",
}  # fmt: skip
MAX_SMALLER_BYTES = MEBIBYTE // 2
SMALLER = {
    name: make for name, make in text_makers(MAX_SMALLER_BYTES) if name not in LARGE | WHOLE_SHAPES
}
# Too slow for the suite, which reads others of their class: only `make soak` reads them.
SLOW = FILES.keys() & {
    "25,000 rows of 18 columns", "100,000 rows of three series", "30 sheets of 200 columns",
    "cells: formulas without values", "cells: a million empty cells", "cells: a million numbers",
    "5,000 columns of 1.5", "5,000 columns of 3", "5,000 columns of -", "5,000 columns of 45000",
    "cells: half a million rows", "a string of 150 characters, 100,000 times",
    "ods: a million cells", "ods: a million cells by one tag", "ods: 50,000 rows", "ods: styles",
    "json: names of nothing", "json: names that nesting makes equal", "json: rows of 5,000",
    "json: 5,000 columns of 100", "json: 100,000 days", "json: lines of records",
    "json: objects as deep as they are read", "json: rows of a null", "json: lines of arrays",
    "5,000 columns of 'Jan'", "5,000 columns of Q1", "5,000 columns of 2024-01-01",
    "5,000 columns of '1'", "5,000 columns of 1 234", "5,000 columns of x",
    "5,000 columns of #", "5,000 columns of ''", "months across", "50,000 rows",
    "5,000 sheets of one part", "50,000 parts of nothing", "200,000 formats", "300,000 strings",
    "half of the cells empty", "the newest row first",
    "cells: half a million numbers", "cells: formulas in every cell", "cells: at A1048576",
    "cells: s 999999999999999999999999", "cells: b xxxxxxxxxxxxxxxxxxxxxxxx",
    "cells: rows of numbers far apart", "cells: rich text of many runs",
    "ods: ten million elements", "sheet: ten million elements", "ods: comments of people",
    "ods: many empty rows", "json: 40,000 records", "json: escapes that stay open",
    "json: rows of different lengths", "names in 8 columns", "hours, and again ten years later",
    *(
        f"{part}: {title}"
        for part in ("styles", "workbook", "relations", "types")
        for title in XML
        if "million" in title or "40 MB" in title
    ),
}  # fmt: skip
# The suite reads each cell as a value or as a date, and each XML as a sheet or as its strings.
SINGLY_READ = {
    f"{places[index % 2]}: {name}"
    for places, names in ((("values", "dates"), CELLS), (("sheet", "strings"), XML))
    for index, name in enumerate(names)
}
LEFT_OUT = SLOW | SINGLY_READ - LARGE
# What an honest table of 50,000 rows took at least, on the machine that the limits were set on.
REFERENCE_SECONDS = 0.09


@functools.cache
def reference_file() -> bytes:
    rows = [[f"2{n // 10_000:03}-01-01 {n % 24:02}:00", n % 977 * 1.5] for n in range(1_000)]
    return "\n".join(["date,value", *(f"{day},{value}" for day, value in rows * 50)]).encode()


def slowness() -> float:
    """Return how much more CPU time than on an idle machine reading takes now, at least 1."""
    return max(1.0, max(read_apart(reference_file()).seconds for _ in range(2)) / REFERENCE_SECONDS)


def read_watched(content: bytes, max_seconds: float, answers: Answers) -> Outcome:
    """Read a file; again, if other work on the machine may have slowed it down."""
    for _ in range(3):
        outcome = read_apart(content, answers)
        if outcome.seconds <= max_seconds or outcome.seconds <= max_seconds * slowness():
            break
    else:
        pytest.fail(f"more than {max_seconds} s: {line_of('', outcome)}")
    return outcome


@pytest.fixture(scope="module", autouse=True)
def reader_process() -> None:
    warm_up_reading()


def test_the_lists_of_hostile_files_name_files_that_are_made() -> None:
    assert FILES.keys() >= HONEST | LARGE | WHOLE_SHAPES
    assert len(FILES.keys() - LEFT_OUT) > 450


@pytest.mark.parametrize("name", [name for name in FILES if name not in LEFT_OUT])
def test_a_hostile_file_ends_quickly_in_little_memory(name: str) -> None:
    content = SMALLER.get(name, FILES[name])()
    # Shapes of a few wide rows take as long for their columns.
    is_smaller = name in SMALLER and name not in SHAPES
    assert_bounded(name, content, MAX_SMALLER_FRACTION if is_smaller else 1.0)


@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name in FILES if name in LEFT_OUT or name in SMALLER])
def test_a_hostile_file_of_full_size_ends_quickly_in_little_memory(name: str) -> None:
    assert_bounded(name, FILES[name]())


def assert_bounded(name: str, content: bytes, share: float = 1.0) -> None:
    limit = share * (MAX_SECONDS_HONEST if name in HONEST else MAX_SECONDS)
    outcome = read_watched(content, limit, Answers())
    assert isinstance(outcome.result, (Reading, UnreadableTableError)), line_of(name, outcome)
    assert outcome.growth_mebibytes < MAX_GROWTH_MEBIBYTES, line_of(name, outcome)
    assert_short(outcome.result)


@pytest.mark.parametrize(
    ("answers", "content"),
    [
        (Answers(columns=("n" * 8_000,)), SHAPES["4,999 days across"]),
        (Answers(columns=("x", "y")), SHAPES["5,000 columns of one name"]),
        (Answers(dates="d" * 8_000), SHAPES["5,000 columns with long names"]),
        (Answers(sheet="s" * 8_000), lambda: workbook({f"s{n}": [["a"]] for n in range(80)})),
        (Answers(timezone="Europe/Berlin"), SHAPES["offsets of all kinds"]),
        (Answers(header=10**17), SHAPES["one date, 350,000 times"]),
    ],
    ids=["columns", "two columns", "dates", "sheet", "timezone", "header"],
)
def test_a_hostile_response_ends_quickly_in_little_memory(
    answers: Answers, content: object
) -> None:
    assert callable(content)
    outcome = read_watched(content(), MAX_SECONDS_HONEST, answers)
    assert isinstance(outcome.result, (Reading, UnreadableTableError, WrongAnswerError))
    assert outcome.growth_mebibytes < MAX_GROWTH_MEBIBYTES
    assert_short(outcome.result)


def assert_short(result: Reading | UnreadableTableError | WrongAnswerError) -> None:
    """Nothing of a result repeats long input, and gaps of years do not make it long."""
    if not isinstance(result, Reading):
        assert len(result.issue) < MAX_ISSUE_LENGTH
        return
    message = [remark.remark for remark in result.remarks]
    message += [question.question for question in result.questions]
    message += [
        text
        for question in result.questions
        for choice in question.choices
        for text in (choice.value, choice.meaning, choice.example)
    ]
    message += [series.name for series in result.series]
    assert max(map(len, message), default=0) < MAX_ISSUE_LENGTH
    assert max((len(series.timestamps) for series in result.series), default=0) <= BOUNDS.max_points
    times = sum(len(series.timestamps) + len(series.missing) for series in result.series)
    assert times <= BOUNDS.max_total_points


@pytest.mark.parametrize(
    ("header", "cell"),
    [
        ("c{}", "{}"),
        ("name{}", "{}%"),
        ("Sales {}", "{} kW"),
        ("c{}", "12:{:02.0f}"),
        ("{:06}", "{}"),
        ("Jan {}", "1"),
    ],
)
def test_a_small_body_of_many_columns_is_read_in_a_moment(header: str, cell: str) -> None:
    columns = range(1900, 3000)
    names = ["date", *(header.format(n) for n in columns)]
    rows = [[f"2024-01-0{day}", *(cell.format(n % 60) for n in columns)] for day in (1, 2, 3)]
    content = "\n".join(map(",".join, [names, *rows])).encode()
    assert len(content) < 2**15
    read_watched(content, MAX_SECONDS_SMALL, Answers())


@pytest.mark.parametrize(
    ("unit", "start"),
    [
        ("a ", "2024-01-01 "),
        ('"', "date,value\n2024-01-01,"),
        ('"",', "date"),
        ("-", "date,value,x\n"),
        ("1,", "date,2024-01-01\n"),
        ("Jan ", "date value\n"),
        ("n,", "date,"),
    ],
)
def test_the_time_of_a_long_line_grows_like_its_length(unit: str, start: str) -> None:
    def seconds(length: int) -> float:
        content = (start + unit * (length // len(unit)) + "\n2024-01-01,1").encode()
        return min(read_apart(content).seconds for _ in range(2))

    assert seconds(1_000_000) < 40 * seconds(100_000) + 0.05


def test_the_time_of_a_column_with_a_unit_grows_like_its_length() -> None:
    def seconds(rows: int) -> float:
        content = "\n".join(["sales", *(f"€ {n}.5" for n in range(rows))]).encode()
        outcome = read_apart(content)
        assert isinstance(outcome.result, Reading), line_of(f"{rows} rows", outcome)
        return outcome.seconds

    assert seconds(80_000) < 5 * seconds(40_000)
