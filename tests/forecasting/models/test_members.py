"""Lists of members, and what is derived from them."""

import numpy as np
import pytest

from app.forecasting.members.types import HighFrequencyMember
from app.forecasting.models.members import Members
from tests.forecasting.tasks import make_task


def member(name: str) -> HighFrequencyMember:
    return HighFrequencyMember(name, lambda task: [])


A, B, C, D = map(member, "abcd")


def test_a_member_is_replaced_where_it_was() -> None:
    assert Members((A, B, C)).replace(B, D, B) == (A, D, B, C)


def test_a_derived_list_can_be_derived_from_again() -> None:
    assert Members((A, B, C)).without(A, C).replace(B, D) == (D,)


@pytest.mark.parametrize("derive", [Members.replace, Members.without, Members.until_dense])
def test_a_member_that_is_not_among_them_is_refused(derive) -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        derive(Members((A, B)), C)


@pytest.mark.parametrize(("origin", "is_suitable"), [(143, True), (144, False)])
def test_sparse_lags_end_where_dense_ones_can_be_learned(origin: int, is_suitable: bool) -> None:
    first, second = Members((A, B)).until_dense(A)
    task = make_task(np.arange(300.0), 2, (origin,))
    assert first.is_suitable(task) is is_suitable
    assert second.is_suitable(task)
