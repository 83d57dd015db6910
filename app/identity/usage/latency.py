"""Response times: counts in buckets of powers of two, and their quantiles."""

from collections.abc import Mapping

BUCKET_COUNT = 17  # under 1 ms, 1 to 2 ms, ... 32.8 s and more: longer than any forecast


def bucket_of(seconds: float) -> int:
    """Return the bucket of a duration: 0 below 1 ms, i from 2^(i-1) ms to below 2^i."""
    return min(int(seconds * 1_000).bit_length(), BUCKET_COUNT - 1)


def quantile(counts: Mapping[int, int], fraction: float) -> float | None:
    """Return the ``fraction`` quantile of durations in seconds, None without calls.

    Durations are assumed to be log-uniform within a bucket: the quantile is accurate to about 20 %
    and never off by more than a factor of 2, the width of a bucket.

    ``counts`` are calls by bucket; ``fraction`` is above 0 and at most 1.
    """
    total = sum(counts.values())
    if total == 0:
        return None
    rank = fraction * total
    below = 0
    for bucket in sorted(counts):
        count = counts[bucket]
        if count and below + count >= rank:
            return _interpolate_bucket(bucket, (rank - below) / count)
        below += count
    return _interpolate_bucket(max(counts), 1.0)


def _interpolate_bucket(bucket: int, fraction: float) -> float:
    """Return the duration in seconds at ``fraction`` of ``bucket``."""
    if bucket == 0:
        return fraction / 1_000
    return float(2 ** (bucket - 1 + fraction)) / 1_000
