"""The one similar name is suggested; nothing is suggested if none or several are similar."""

import time

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.errors.nearest import MAX_WORD_LENGTH, did_you_mean, find_nearest, nearest_path
from app.forecasting.model_ids import MODEL_IDS
from app.timeseries.calendar.frequency import Frequency
from tests.support.api import Api, details_of, with_series
from tests.support.machine_speed import slowness
from tests.support.series import daily_body

MEANT = {
    "Daily": ("daily", "DAILY", "Day", " Daily", "Dayly"),
    "Hours": ("hour", "Hourly", "HOURS"),
    "Monthly": ("month", "months", "monthy"),
    "Yearly": ("year", "yearly"),
}


@pytest.mark.parametrize(
    ("sent", "meant"), [(sent, meant) for meant, all_sent in MEANT.items() for sent in all_sent]
)
def test_a_frequency_in_other_words_is_recognized(sent: str, meant: str) -> None:
    assert find_nearest(sent, Frequency) == meant


@pytest.mark.parametrize("sent", ["", "D", "1D", "annual", "MS", "?", "Daily" * 20])
def test_a_string_near_to_no_choice_is_not_guessed_at(sent: str) -> None:
    assert find_nearest(sent, Frequency) is None


def test_a_word_of_another_meaning_is_not_guessed_at() -> None:
    assert find_nearest("execute", ["read", "write", "admin", "delete"]) is None


def test_a_string_equally_near_to_several_choices_is_not_guessed_at() -> None:
    assert find_nearest("forecast-model-5", MODEL_IDS) is None
    assert find_nearest("forecast_model_2", MODEL_IDS) == "forecast-model-2"


def test_nothing_is_near_if_nothing_is_known() -> None:
    assert did_you_mean("daily", []) == ""


def test_a_path_is_not_proposed_for_itself() -> None:
    assert nearest_path("/v2/forecst", ["/v2/{task}"]) is None
    known = ["/v2/{task}", "/v2/forecast"]
    assert nearest_path("/v2/forecst", known) == ("/v2/forecast", "/v2/forecast")


@given(st.text(max_size=MAX_WORD_LENGTH))
def test_a_word_is_nearest_to_itself_in_whatever_case(word: str) -> None:
    nearest = find_nearest(word.swapcase(), ["Quarterly", word])
    assert nearest == word or not word or word.swapcase().casefold() != word.casefold()


def test_a_long_word_is_not_compared() -> None:
    assert find_nearest("a" * MAX_WORD_LENGTH, ["a" * MAX_WORD_LENGTH]) == "a" * MAX_WORD_LENGTH
    assert find_nearest("a" * (MAX_WORD_LENGTH + 1), ["a" * (MAX_WORD_LENGTH + 1)]) is None


@pytest.mark.timing
def test_near_misses_cost_no_more_time_than_other_bodies(api: Api) -> None:
    """Only the names that an error lists are compared."""
    fields = [f"forecast_horizo{number:x}" for number in range(150_000)]
    assert details_of(api.forecast(b"{}"), 400)
    spent = []
    for names in (fields, [name[::-1] for name in fields]):
        body = orjson.dumps(dict.fromkeys(names, 1))
        started = time.process_time()
        assert len(details_of(api.forecast(body), 400)["errors"]) == 20
        spent.append(time.process_time() - started)
    assert spent[0] < 2 * spent[1] + 0.1


@pytest.mark.timing
def test_a_series_of_only_dates_is_rejected_as_quickly_as_a_good_one_is_read(api: Api) -> None:
    times = [f"{number % 9000 + 1000}-01-31" for number in range(50_000)]
    body = orjson.dumps(with_series(daily_body(), timestamps=times, values=[1] * 50_000))
    started = time.process_time()
    issue = details_of(api.forecast(body), 422)["issue"]
    assert issue.endswith("send YYYY-MM-DDTHH:MM:SS, here 1000-01-31T00:00:00")
    assert time.process_time() - started < 0.5 * slowness()
