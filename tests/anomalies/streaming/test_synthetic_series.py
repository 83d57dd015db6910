"""Whatever a synthetic series does for good is learned: it is not flagged for long."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.anomalies.streaming.streams import HOURS, flags, verdicts_on
from tests.anomalies.streaming.synthetic_series import (
    FINISHES,
    NOISES,
    SHAPES,
    Behaviour,
    SyntheticSeries,
)

SETTLING, AFTER = 1000, 2500  # points after the last lasting change
MAX_FLAGGED = 0.02  # the share of them that may be flagged at the default rate

# A random walk that reaches a bound stays there and later moves again: a lasting change of its own.
WITHOUT_RANDOM_WALK = sorted(set(NOISES) - {"random walk"})
BURSTS = Behaviour(noise="autocorrelated", size=0.001, shape="peak", bursts=0.005)


def behaviours_with(noises: list[str], finishes: list[str]) -> st.SearchStrategy[Behaviour]:
    """Return behaviours with these parts."""
    return st.builds(
        Behaviour,
        level=st.sampled_from([0.0, 5.0, -20.0, 100.0, 1e4]),
        noise=st.sampled_from(noises),
        size=st.sampled_from([1.0, 0.001, 0.1, 10.0]),
        shape=st.sampled_from(sorted(SHAPES)),
        amplitude=st.sampled_from([0.0, 3.0, 10.0, 100.0]),
        period=st.sampled_from([24, 7, 10, 37, 60, 100, 168, 250]),
        bursts=st.sampled_from([0.0, 0.005, 0.02]),
        finish=st.sampled_from(finishes),
    )


ANY_BEHAVIOUR = behaviours_with(WITHOUT_RANDOM_WALK, sorted(FINISHES)) | behaviours_with(
    ["random walk"], ["as it is", "rounded"]
)
SYNTHETIC_SERIES = st.builds(
    SyntheticSeries,
    parts=st.lists(
        st.tuples(st.sampled_from([30, 100, 400, 1000, 1500]), ANY_BEHAVIOUR), max_size=2
    ).map(tuple),
    last=ANY_BEHAVIOUR,
    unit=st.sampled_from([1.0, 1e-9, 1e-3, 1e9]),
    seed=st.integers(0, 999),
)


def flagged_fraction(series: SyntheticSeries) -> float:
    """Return the share of the points that are flagged once the series has settled."""
    settled = verdicts_on(series.values(AFTER), HOURS)[series.change_point + SETTLING :]
    return flags(settled) / len(settled)


def test_bursts_that_are_far_beyond_all_noise_are_what_the_series_does() -> None:
    assert (
        flagged_fraction(
            SyntheticSeries(((30, Behaviour(noise="random walk", shape="peak")),), BURSTS)
        )
        <= MAX_FLAGGED
    )


@given(SYNTHETIC_SERIES)
@settings(max_examples=settings.default.max_examples // 8)
def test_no_synthetic_series_is_flagged_for_long(series: SyntheticSeries) -> None:
    assert flagged_fraction(series) <= MAX_FLAGGED
