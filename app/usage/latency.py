"""How long calls took: counts by powers of two, and the quantiles of such counts."""

from collections.abc import Mapping

BUCKETS = 17  # under 1 ms, 1 to 2 ms, ... 32.8 s and more: past the longest forecast


def bucket_of(seconds: float) -> int:
    """Return the bucket of a duration: 0 below 1 ms, i from 2^(i-1) ms to below 2^i."""
    return min(int(seconds * 1_000).bit_length(), BUCKETS - 1)


def quantile(counts: Mapping[int, int], share: float) -> float | None:
    """Return the duration in seconds that ``share`` of all calls stayed below, None without calls.

    Within a bucket durations are taken to be spread evenly over its logarithm, as durations are:
    the quantile is right to about a fifth, and never off by more than the factor of 2 that a bucket
    is wide.

    Args:
        counts: Calls by bucket.
        share: Above 0 and at most 1, for example 0.95.
    """
    total = sum(counts.values())
    if total == 0:
        return None
    wanted = share * total
    below = 0
    for bucket in sorted(counts):
        here = counts[bucket]
        if here and below + here >= wanted:
            return _inside(bucket, (wanted - below) / here)
        below += here
    return _inside(max(counts), 1.0)


def _inside(bucket: int, share: float) -> float:
    """Return the duration in seconds at a share of the way through ``bucket``."""
    if bucket == 0:
        return share / 1_000
    return float(2 ** (bucket - 1 + share)) / 1_000
