"""The words that docs/developing/style.md avoids are not used where people read."""

import ast
import re

import pytest

from tests.support.server import ROOT
from tests.support.source_trees import lines, nodes_of

AVOIDED = {
    "is no X": r"(?<!there )\b(?:is|are) no (?!longer|more|less|such|need|other|larger)\w+",
    "stands in": r"\bstands? in\b",
    "is away": r"\b(?:is|are) away\b",
    "goes on": r"\bgoes on\b",
    "shall": r"\bshall\b",
    "of nobody's": r"\bof nobody\b|\bnobody's\b",
    "any more": r"\bany more\b",
    "processor": r"\bprocessors?\b",
    "that what": r"\bthat what\b",
    "that which": r"\bthat which\b",
    "so many": r"\bso (?:many|much)\b(?! \w+ (?:may|that)\b)",
    "alone": r"(?<![a-z.`])alone(?![a-z])",
    "tells": r"(?<![a-z.])(?:tells?|told|telling)(?![a-z])(?! (?:the|your) operator)",
    # But a server refuses to start or a connection, and values and metrics keep their names.
    "refuse": r"(?<![.`\"'=(])(?<!connection )(?<!_engine_)(?<!_limit_)(?<!ForecastKeys)"
    r"(?<!ForecastLimit)(?<!failing or )(?<!failing, 3 )refus(?:e[ds]?+|als?|ing)(?!(?-i:[a-z]))"
    r"(?![ _]to(?![a-z]))(?! connection| new ones| = .refused)",
    # But in the title of a paper.
    "-ise for -ize": r"(?<!Models for )"
    r"(?:initial|minim|normal|optim|recogn|seasonal|serial|standard|summar)is"
    r"(?:e|ed|es|er|ing|ation)(?![a-z])",
}
# Questions have answers; everything else has responses and results.
ANSWER = re.compile(r"\banswer(?:s|ed|ing)?\b", re.IGNORECASE)
HAVE_QUESTIONS = re.compile(
    r"app/(?:(?:tables|api/(?:read|tables|examples))/|ops/engine_libraries)|app/web/pages/static/playground/(?:data|reader|reading|session)"
    r"|clients/python/(?:README|src/forecast_client/cli)|docs/using/(?:tables|agents)"
    r"|app/web/dashboard/monitors/(?:pasted_tables|changes)|docs/developing/decisions|CHANGELOG"
    r"|tests/(?:tables|api/(?:read|tables|dialects/mcp/test_questions))|clients/python/tests/test_client_cli"
    r"|tests/web/(?:dashboard/monitors/test_(?:appended|pasted)|pages/(?:playing|test_date_writer|test_reading|test_session))"
)
MAX_SCRIPT_LINE_LENGTH = 120  # a formatter would add a tool; Python's is 100, by ruff
STYLE = (ROOT / "docs" / "developing" / "style.md").read_text()


@pytest.mark.parametrize("name", AVOIDED)
def test_no_line_has_translated_idioms(name: str) -> None:
    assert len(lines()) > 100_000  # the search finds what there is
    pattern = re.compile(AVOIDED[name], re.IGNORECASE)
    assert [f"{place}: {text.strip()}" for place, text in lines() if pattern.search(text)] == []


@pytest.mark.parametrize("name", AVOIDED)
def test_the_page_on_style_names_what_is_looked_for(name: str) -> None:
    assert name in STYLE


def test_only_questions_have_answers() -> None:
    others = [line for line in lines() if not HAVE_QUESTIONS.match(line[0])]
    assert len(lines()) > len(others) > 90_000  # the search finds what there is
    assert [f"{place}: {text.strip()}" for place, text in others if ANSWER.search(text)] == []


def test_constants_are_explained_by_comments_not_by_strings_below_them() -> None:
    strings = [
        f"{path}:{statement.lineno}"
        for path, node in nodes_of("app", "benchmarks", "clients", "tests")
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        for statement in node.body[1:]
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if isinstance(statement.value.value, str)
    ]
    assert strings == []


def test_comments_behind_code_are_no_sentences() -> None:
    """They begin small and have no full stop, as they go on from the name before them."""
    sentence = re.compile(r"\S  # [A-Z][a-z]* .*[a-z]\.$")
    assert [line for line in lines() if ".py:" in line[0] and sentence.search(line[1])] == []


def test_lines_of_scripts_have_at_most_120_characters() -> None:
    scripts = [line for line in lines() if ".js:" in line[0]]
    assert len(scripts) > 5_000  # the search finds what there is
    assert [place for place, text in scripts if len(text.rstrip()) > MAX_SCRIPT_LINE_LENGTH] == []


def test_docstrings_explain_arguments_that_are_there() -> None:
    explained = {
        f"{path}:{node.lineno}: {name}": name in argument_names(node)
        for path, node in nodes_of("app", "benchmarks", "clients/python/src")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for name in explained_arguments(ast.get_docstring(node) or "")
    }
    assert len(explained) > 300  # the search finds what there is
    assert [place for place, is_there in explained.items() if not is_there] == []


def test_each_entry_of_a_docstring_has_a_line_of_its_own() -> None:
    run_on = re.compile(r"^ +[a-z_]+: .*\. [a-z_]+: [A-Z]")
    assert [line for line in lines() if ".py:" in line[0] and run_on.search(line[1])] == []


def test_explanations_of_arguments_begin_with_a_capital_letter() -> None:
    small = re.compile(r"^    [\w*]+(?:, [\w*]+)*: [a-z].*", re.MULTILINE)
    places = {
        f"{path}:{node.lineno}: {line.strip()}"
        for path, node in nodes_of("app", "benchmarks", "clients/python/src")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for line in small.findall((ast.get_docstring(node) or "").partition("\nArgs:\n")[2])
    }
    assert places == set()


def test_docstrings_are_in_the_imperative() -> None:
    """``Return``, not ``Returns``, also for errors outside of a section and after a semicolon."""
    third_person = re.compile(r"^ *(?:Returns|Raises|Yields) [a-zA-Z]|; (?:returns|raises) ", re.M)
    docstrings = {
        f"{path}:{node.lineno}": ast.get_docstring(node) or ""
        for path, node in nodes_of("app", "benchmarks", "clients", "docs", "nginx", "tests")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    assert len(docstrings) > 5_000  # the search finds what there is
    assert [place for place, text in docstrings.items() if third_person.search(text)] == []


def test_what_is_raised_is_a_sentence() -> None:
    """Except in the clients, whose readers know Google's form."""
    docstrings = {
        f"{path}:{node.lineno}": ast.get_docstring(node) or ""
        for path, node in nodes_of("app", "benchmarks", "nginx", "tests")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    assert len(docstrings) > 5_000  # the search finds what there is
    assert [place for place, text in docstrings.items() if "Raises:\n" in text] == []


def explained_arguments(docstring: str) -> list[str]:
    """Return the names under "Args:"."""
    _, _, rest = docstring.partition("\nArgs:\n")
    section = re.split(r"\n\n|\n(?=\S)", rest)[0]
    return [
        name.strip("*")
        for line in re.findall(r"^    ([\w*]+(?:, [\w*]+)*):", section, re.MULTILINE)
        for name in line.split(", ")
    ]


def argument_names(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> set[str]:
    """Return the parameters of a function; of a class, those of its constructor and its fields."""
    if not isinstance(node, ast.ClassDef):
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
        return {argument.arg for argument in every}
    makers = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    names = {name for maker in makers if maker.name == "__init__" for name in argument_names(maker)}
    fields = [item.target for item in node.body if isinstance(item, ast.AnnAssign)]
    return names | {field.id for field in fields if isinstance(field, ast.Name)}
