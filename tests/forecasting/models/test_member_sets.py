"""Members that take part only in some histories."""

import numpy as np
import pytest

from app.forecasting.members.types import HighFrequencyMember
from app.forecasting.models.member_sets import until_dense
from tests.forecasting.tasks import make_task


@pytest.mark.parametrize(("origin", "is_suitable"), [(143, True), (144, False)])
def test_sparse_lags_are_left_out_where_dense_ones_can_be_learned(origin, is_suitable) -> None:
    sparse = until_dense(HighFrequencyMember("sparse", lambda task: []))
    assert sparse.is_suitable(make_task(np.arange(300.0), 2, (origin,))) is is_suitable


def test_a_member_that_does_not_suit_is_left_out_before_dense_lags_too() -> None:
    sparse = until_dense(HighFrequencyMember("sparse", lambda task: [], lambda task: False))
    assert not sparse.is_suitable(make_task(np.arange(300.0), 2, (100,)))
