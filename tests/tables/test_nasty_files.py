"""Files made to be slow or large to read end quickly and small: series, questions or a refusal."""

import functools

import pytest

from app.tables.read import warm_up
from app.tables.results import Answers, NotATableError, Reading, WrongAnswerError
from tests.tables.nasty_files import FILES, Outcome, line_of, read_apart
from tests.tables.nasty_texts import SHAPES
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
# What an honest table of 50,000 rows took at least, on the machine that the limits were set on.
REFERENCE_SECONDS = 0.09


@functools.cache
def reference() -> bytes:
    rows = [[f"2{n // 10_000:03}-01-01 {n % 24:02}:00", n % 977 * 1.5] for n in range(1_000)]
    return "\n".join(["date,value", *(f"{day},{value}" for day, value in rows * 50)]).encode()


def slowness() -> float:
    """How much slower than an idle one this machine is now, at least 1."""
    return max(1.0, min(read_apart(reference()).seconds for _ in range(2)) / REFERENCE_SECONDS)


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


def test_there_are_files_of_each_kind() -> None:
    assert len(FILES) > 300
    assert FILES.keys() >= HONEST
    assert {*SHAPES, "strings: a billion laughs", "10,000 parts", "merged cells"} <= FILES.keys()


@pytest.mark.parametrize("name", FILES)
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
