"""Read `/metrics` with Prometheus' parser."""

from collections.abc import Mapping

from prometheus_client.parser import text_string_to_metric_families

Counts = dict[str, float]


def read(text: str) -> Counts:
    """Return each sample by its name and sorted labels: ``name{label=value,…}``."""
    results: Counts = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            name = sample_name(sample.name, sample.labels)
            assert name not in results, f"{name} twice"
            results[name] = sample.value
    return results


def sample_name(name: str, labels: Mapping[str, str]) -> str:
    """Return a sample's name in ``Counts``."""
    inside = ",".join(f"{label}={value}" for label, value in sorted(labels.items()))
    return f"{name}{{{inside}}}" if inside else name


def rises(before: Counts, after: Counts) -> Counts:
    """Return the increases of samples; of histograms only their counts."""
    return {
        name: after[name] - before.get(name, 0)
        for name in after
        if after[name] != before.get(name, 0)
        and not name.split("{")[0].endswith(("_bucket", "_sum"))
    }
