"""What a reading collects on its way through the steps."""

from copy import deepcopy

from app.tables.answers import Answers
from app.tables.reading import Descriptions, Reading
from tests.tables.tables import BOUNDS


def test_an_attempt_without_a_result_changes_nothing() -> None:
    reading = Reading(Answers(), BOUNDS)
    before = deepcopy(reading)

    def read(trial: Reading) -> None:
        trial.row_noun = "row"
        trial.chosen.sheet = "March"
        trial.notation.names = "Shop"
        trial.descriptions = Descriptions(("Town",))
        trial.ask("start", "On which day did the first begin?", [])
        trial.add_remark("sorted", "The rows were not in order; sorted.")

    assert reading.attempt(read) is None
    assert reading == before
