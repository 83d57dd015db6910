"""Files made to be slow or large to read end quickly and small: series, questions or a refusal."""

import functools

import pytest

from app.tables.read import warm_up
from app.tables.results import Answers, NotATableError, Reading, WrongAnswerError
from tests.tables.nasty_archives import ARCHIVES
from tests.tables.nasty_files import FILES, Outcome, line_of, read_apart
from tests.tables.nasty_texts import SHAPES
from tests.tables.nasty_workbooks import DOCTYPES, PARTS, XML
from tests.tables.tables import workbook

MAX_SECONDS = 1.0  # of processor time, on a machine that has nothing else to do
MAX_SECONDS_HONEST = 2.0
MAX_GROWTH_MEBIBYTES = 300
MAX_ISSUE_LENGTH = 1_500
# As much honest work as a body may hold. Nothing of it can be refused, so it may take longer.
HONEST = {
    *("the newest row first", "spaces between columns", "two series, a date each", "501 series"),
    *("half of the dates are words", "half of the values are words", "parts of dates", "seasons"),
    *("no order of day and month", "days without a year", "years of two digits", "weeks"),
    *("offsets of all kinds", "dates of all forms", "one date, 350,000 times", "months across"),
    *("names in 40 columns", "names in 8 columns", "4,999 days across", "50,000 rows"),
    *("25,000 rows of 18 columns", "100,000 rows of three series", "months without a year"),
    *("cells: half a million numbers", "a string of 150 characters, 100,000 times"),
    "30 sheets of 200 columns",
}
# One file of each class of attack. The others are variants, which `make soak` reads.
SAMPLE = {
    *(f"repeated: {unit}" for unit in ("commas", "pairs between spaces", "quotation marks")),
    *(f"repeated: {unit}" for unit in ("quotation marks and commas", "line ends in cells")),
    *(f"repeated: {unit}" for unit in ("line separators", "null bytes", "letters that decompose")),
    *(f"repeated: {unit}" for unit in ("digits", "minus one", "words", "comments", "slashes")),
    *(f"repeated: {unit}" for unit in ("rules of bars", "semicolons and line ends", "dates")),
    *(f"values: {cell}" for cell in ("a number of 100,000 digits", "exponents", "brackets")),
    *(f"values: {cell}" for cell in ("an exponent of 100,000 digits", "points in threes")),
    *(f"values: {cell}" for cell in ("currencies", "a negative exponent", "dashes", "words")),
    *(f"dates: {cell}" for cell in ("a long fraction of a second", "a date of many spaces")),
    *(f"dates: {cell}" for cell in ("months", "an offset", "slashes", "the year 9999", "a range")),
    *(f"dates: {cell}" for cell in ("a nanosecond epoch", "a serial number")),
    *("encoding utf-16-le", "encoding cp037", "encoding shift_jis", "surrogates in UTF-8"),
    *("5,000 columns of 'Jan'", "5,000 columns of 2020", "5,000 columns with long names"),
    *("5,000 columns, each row longer", "5,001 columns", "a wide row among many"),
    *("many wide rows of many lines", "an open quotation mark", "a quoted cell of 4 MiB"),
    *("a name of 4 MiB", "names of 100 kB", "numbers that are split", "dates far apart"),
    *("names in 8 columns", "two series, a date each", "days without a year", "501 series"),
    *("half of the dates are words", "no order of day and month", "4,999 days across"),
    *("offsets of all kinds", "dates of all forms", "spaces between columns", "parts of dates"),
    *("UTF-16 that is cut", "spaces, then a web page", "noise 0", "noise of digits"),
    *(f"sheet: {title}" for title in XML if title != "ten million elements"),
    *(f"{part}: {title}" for part in PARTS for title in ("a control character", "text of 40 MB")),
    *(f"{part}: {title}" for part in ("sheet", "strings", "workbook") for title in DOCTYPES),
    *("strings: ten million elements", "cells: at XFD1048576", "cells: at A9999999999"),
    *("cells: at A1048576", "cells: at A0", "cells: at A1A1", "cells: 5,001 numbers in a row"),
    *("cells: inline strings of 30,000 characters", "cells: formulas in every cell"),
    *("cells: rich text of many runs", "cells: a million empty cells", "cells: values twice"),
    *("cells: half a million rows", "cells: n -1e308", "cells: d 9999-99-99", "cells: b 2"),
    *("cells: s 18446744073709551616", "cells: serial number -1e300", "cells: unknown 1"),
    *("a string of 1 MB, 1,500 times", "a string of 150 characters, 100,000 times"),
    *("a string of many runs", "300,000 strings", "strings in two parts", "phonetic strings"),
    *("80 sheets", "30 sheets of 200 columns", "5,000 sheets of one part", "merged cells"),
    *("a sheet without a part", "a sheet with a name of 1 MB", "200,000 formats"),
    *("a format of 200 kB", "relations", "100,000 rows of three series"),
    *ARCHIVES.keys(),
}
# What an honest table of 50,000 rows took at least, on the machine that the limits were set on.
REFERENCE_SECONDS = 0.09


@functools.cache
def reference() -> bytes:
    rows = [[f"2{n // 10_000:03}-01-01 {n % 24:02}:00", n % 977 * 1.5] for n in range(1_000)]
    return "\n".join(["date,value", *(f"{day},{value}" for day, value in rows * 50)]).encode()


def slowness() -> float:
    """How much more processor time than on an idle machine reading takes now, at least 1."""
    return max(1.0, max(read_apart(reference()).seconds for _ in range(2)) / REFERENCE_SECONDS)


def watched(content: bytes, max_seconds: float, answers: Answers) -> Outcome:
    """Read a file; again, if other work on the machine may have slowed it down."""
    for _ in range(3):
        outcome = read_apart(content, answers)
        if outcome.seconds <= max_seconds or outcome.seconds <= max_seconds * slowness():
            break
    else:
        pytest.fail(f"more than {max_seconds} s: {line_of('', outcome)}")
    return outcome


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    warm_up()


def test_each_class_of_attack_is_among_the_files() -> None:
    assert FILES.keys() >= HONEST | SAMPLE


@pytest.mark.parametrize(
    "name", [n if n in SAMPLE else pytest.param(n, marks=pytest.mark.soak) for n in FILES]
)
def test_a_nasty_file_ends_quickly_and_small(name: str) -> None:
    limit = MAX_SECONDS_HONEST if name in HONEST else MAX_SECONDS
    outcome = watched(FILES[name](), limit, Answers())
    assert isinstance(outcome.result, (Reading, NotATableError)), line_of(name, outcome)
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
def test_a_nasty_answer_ends_quickly_and_small(answers: Answers, content: object) -> None:
    assert callable(content)
    outcome = watched(content(), MAX_SECONDS_HONEST, answers)
    assert isinstance(outcome.result, (Reading, NotATableError, WrongAnswerError))
    assert outcome.growth_mebibytes < MAX_GROWTH_MEBIBYTES
    assert_short(outcome.result)


def assert_short(result: Reading | NotATableError | WrongAnswerError) -> None:
    """Nothing of a result repeats long input."""
    if not isinstance(result, Reading):
        assert len(result.issue) < MAX_ISSUE_LENGTH
        return
    said = [remark.remark for remark in result.remarks]
    said += [question.question for question in result.questions]
    said += [
        text
        for question in result.questions
        for choice in question.choices
        for text in (choice.value, choice.meaning, choice.example)
    ]
    said += [one.name for one in result.series]
    assert max(map(len, said), default=0) < MAX_ISSUE_LENGTH


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
        return min(read_apart(content).seconds for _ in range(3))

    assert seconds(4_000_000) < 40 * seconds(400_000) + 0.1
