"""No made series floods: what it does for good is learned, whatever that is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.anomalies.streaming.made_series import FINISHES, NOISES, SHAPES, Behaviour, Made
from tests.anomalies.streaming.streams import HOURS, flags, verdicts_on

SETTLING, AFTER = 1000, 2500  # points after the last lasting change
MAX_FLAGGED = 0.02  # the share of them that may be flagged at the default rate

# A random walk that reaches a bound stays there and later moves again: a lasting change of its own.
WITHOUT_WALK = sorted(set(NOISES) - {"walk"})


def behaviours(noises: list[str], finishes: list[str]) -> st.SearchStrategy[Behaviour]:
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


ANY = behaviours(WITHOUT_WALK, sorted(FINISHES)) | behaviours(["walk"], ["as it is", "rounded"])
MADE = st.builds(
    Made,
    parts=st.lists(st.tuples(st.sampled_from([30, 100, 400, 1000, 1500]), ANY), max_size=2).map(
        tuple
    ),
    last=ANY,
    unit=st.sampled_from([1.0, 1e-9, 1e-3, 1e9]),
    seed=st.integers(0, 999),
)


def flagged_share(made: Made) -> float:
    """Return the share of the points that are flagged once the series has settled."""
    settled = verdicts_on(made.values(AFTER), HOURS)[made.changed + SETTLING :]
    return flags(settled) / len(settled)


BURSTS = Behaviour(noise="autocorrelated", size=0.001, shape="peak", bursts=0.005)


def test_bursts_that_are_far_beyond_all_noise_are_what_the_series_does() -> None:
    assert (
        flagged_share(Made(((30, Behaviour(noise="walk", shape="peak")),), BURSTS)) <= MAX_FLAGGED
    )


@given(MADE)
@settings(max_examples=settings.default.max_examples // 8)
def test_no_made_series_is_flagged_for_long(made: Made) -> None:
    assert flagged_share(made) <= MAX_FLAGGED
