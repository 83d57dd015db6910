"""The shipped file of learned numbers is what the calibration wrote."""

import copy
from dataclasses import replace

import numpy as np
import pytest

from app.forecasting.intervals import learned
from app.forecasting.members.profiles import LAST_YEAR_PROFILE
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.frequency import Frequency
from benchmarks.calibrate import SEED, learned_file
from benchmarks.calibrate.__main__ import KINDS


@pytest.fixture
def content():
    return learned_file.read()


def test_no_learned_number_was_typed_in(content) -> None:
    checksum, kinds = content
    assert checksum == learned_file.checksum(kinds)


def test_all_numbers_were_learned_from_the_data_and_the_seed_that_are_shipped(content) -> None:
    _, kinds = content
    assert list(kinds) == list(KINDS)
    for kind, entry in kinds.items():
        assert entry["data_sha256"] == learned_file.data_digest(), kind
        assert entry["seed"] == SEED, kind


def test_the_widths_were_learned_with_the_members_that_are_shipped(content) -> None:
    for kind, entry in content[1].items():
        assert entry["recipes_sha256"] == learned_file.recipe_digest(), (
            f"{kind} belongs to other recipes: run make calibrate WRITE=1 (twelve minutes)"
        )


def test_a_member_added_to_one_model_is_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    before = learned_file.recipe_digest()
    model = MODELS["forecast-model-2"]
    hours = model.high_frequency[Frequency.HOURS]
    richer = replace(hours, seasonal=(*hours.seasonal, LAST_YEAR_PROFILE))
    changed = replace(model, high_frequency={**model.high_frequency, Frequency.HOURS: richer})
    monkeypatch.setitem(MODELS, "forecast-model-2", changed)
    assert learned_file.recipe_digest() != before


def test_the_file_is_laid_out_as_the_calibration_writes_it(content) -> None:
    assert learned_file.LEARNED_FILE.read_text(encoding="utf-8") == learned_file.render(content[1])


def test_one_other_digit_is_another_checksum(content) -> None:
    checksum, kinds = content
    typed = copy.deepcopy(kinds)
    typed["long_factors"]["numbers"][0][0] += 0.01
    assert learned_file.checksum(typed) != checksum


def test_writing_replaces_one_kind_and_the_engine_reads_it(tmp_path, monkeypatch, content) -> None:
    file = tmp_path / "learned.json"
    file.write_text(learned_file.render(content[1]), encoding="utf-8")
    for module in (learned, learned_file):
        monkeypatch.setattr(module, "LEARNED_FILE", file)
    learned_file.write("skewed_widening", [1.5, 1.4, 1.3, 1.2, 1.1])
    checksum, kinds = learned_file.read()
    assert checksum == learned_file.checksum(kinds)
    assert kinds["long_factors"] == content[1]["long_factors"]
    written = learned.load_learned()
    hours = Frequency.HOURS
    wider = written.robust[hours].factors[:, 0] - written.weighed[hours].factors[:, 0]
    assert np.exp(wider) == pytest.approx([1.5, 1.4, 1.3, 1.2, 1.1])
