"""The 422 of tables that cannot be forecast, or not yet."""

from collections.abc import Sequence

from app.api.errors.api_error import ApiError
from app.api.errors.error_schema import choice_bodies
from app.tables.results import Question


def open_questions_error(questions: Sequence[Question]) -> ApiError:
    """Return the 422 of questions: each an entry of ``errors``, with its choices."""
    errors = [
        {
            "field": question.parameter,
            "issue": f"{question.question} Send {question.parameter}=… in the query.",
            "provided": None,
            "question": question.question,
            "choices": choice_bodies(question),
        }
        for question in questions
    ]
    first = {name: errors[0][name] for name in ("field", "issue", "provided")}
    details = {**first, "errors": errors}
    return ApiError(422, "The table leaves questions open", details, field=questions[0].parameter)


def no_forecast_error(problems: Sequence[str]) -> ApiError:
    """Return the 422 of a table without a series that can be forecast, with the first problems."""
    errors = [{"field": "body", "issue": problem, "provided": None} for problem in problems]
    return ApiError(422, "No series can be forecast", {**errors[0], "errors": errors}, field="body")


def too_large_error(series: int, horizon: int, limit: int) -> ApiError:
    """Return the 422 of more forecasts than a file may have."""
    issue = (
        f"{series:,} series of {horizon} periods are {series * horizon:,} rows, at most {limit:,} "
        f"are returned; send horizon={limit // series} or fewer series"
    )
    return ApiError(422, "Too many forecasts", {"issue": issue})


def too_many_dates_error(rows: int, series: int, limit: int) -> ApiError:
    """Return the 422 of a wide table whose series have different dates."""
    issue = (
        f"the series have different dates: {rows:,} rows of {series:,} series are more than the "
        f"{limit:,} numbers of a table with a column for each series; send fewer series, or a "
        "long table: a row for each series and date"
    )
    return ApiError(422, "Too many dates", {"issue": issue})


def long_names_error(characters: int, limit: int) -> ApiError:
    """Return the 422 of a long table that would repeat long names in too many rows."""
    issue = (
        f"the names of series would be repeated in all rows: {characters:,} characters, at most "
        f"{limit:,} are written; send shorter names, a shorter horizon or fewer series"
    )
    return ApiError(422, "Too long names", {"issue": issue})
