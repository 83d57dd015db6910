"""Large bodies of calls of many series are parsed by an engine process, not by a web worker."""

import pickle
import tracemalloc
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson
import pytest

from app.api.serving.body import MAX_CONCURRENT_BYTES, READ_BODY_JOB
from app.compute import jobs
from app.compute.errors import EngineBusyError, EngineFailedError
from app.compute.jobs import ENGINE_EXTENSION, Cost, Job
from app.core.memory_units import MEBIBYTE
from tests.api.dialects.timegpt.calls import Body, body, compressed_body, post
from tests.support.api import Api, details_of, error_of

MAX_PARSED_MEBIBYTES = 8  # a web worker has at most 98 threads
COSTLY = {
    "empty objects": b'{"series":[%s{}]}' % (b"{}," * 43_680),
    "short objects": b'{"series":[%s{}]}' % (b'{"a":1},' * 16_370),
    "short arrays": b'{"series":[%s[]]}' % (b"[1]," * 32_750),
    "empty strings": b'{"series":["%s"]}' % (b'","' * 43_680),
}


@dataclass
class Engine:
    """An engine in this process that records its jobs; reading a body may fail."""

    fail: Exception | None = None
    jobs: list[Job] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    places: int = 0
    places_at_readings: list[int] = field(default_factory=list)

    def acquire_slot(self, _cost: Cost, _size: int, tenant: str) -> "Engine":
        self.places += 1
        return self

    def release(self) -> None:
        self.places -= 1

    def run(self, job: Job, *arguments: Any, **_options: Any) -> Any:
        self.jobs.append(job)
        if job is READ_BODY_JOB:
            self.places_at_readings.append(self.places)
            if self.fail is not None:
                raise self.fail
        self.results.append(jobs.call_job_function(job, *arguments))
        return self.results[-1]


@pytest.fixture
def engine(api: Api, monkeypatch: pytest.MonkeyPatch) -> Engine:
    engine = Engine()
    monkeypatch.setitem(api.app.extensions, ENGINE_EXTENSION, engine)
    return engine


def large_body() -> Body:
    """Return a body of a few long series that is too large for a web worker to parse."""
    series: list[list[float | None]] = [[100.125] * 60_000] * 3
    sent = body(*series, h=1)
    assert len(orjson.dumps(sent)) > MAX_CONCURRENT_BYTES
    return sent


@pytest.mark.parametrize("coding", ["zstd", None])
def test_a_large_body_is_parsed_by_the_engine_and_the_call_keeps_its_slot(
    api: Api, engine: Engine, coding: str | None
) -> None:
    sent = compressed_body(large_body()) if coding else orjson.dumps(large_body())
    response = post(api, "forecast", sent, Content_Encoding=coding)
    assert response.status_code == 200
    assert engine.jobs[0] is READ_BODY_JOB
    assert READ_BODY_JOB not in engine.jobs[1:]
    assert (engine.places_at_readings, engine.places) == ([1], 0)


def test_a_large_body_returns_from_the_engine_as_arrays(api: Api, engine: Engine) -> None:
    sent = large_body()
    features = [[0.5] * 180_000] * 2
    sent["series"] |= {"X": features}
    assert post(api, "forecast", compressed_body(sent), Content_Encoding="zstd").status_code == 200
    read = engine.results[0]
    assert isinstance(read["series"]["y"], np.ndarray)
    assert all(isinstance(column, np.ndarray) for column in read["series"]["X"])
    assert len(pickle.dumps(read)) < 8 * 3 * 180_000 + 10_000


def test_a_small_body_is_parsed_by_the_web_worker(api: Api, engine: Engine) -> None:
    assert post(api, "forecast", body()).status_code == 200
    assert READ_BODY_JOB not in engine.jobs


@pytest.mark.parametrize("text", COSTLY.values(), ids=COSTLY.keys())
def test_web_workers_parse_only_bodies_that_are_cheap_to_parse(
    api: Api, engine: Engine, text: bytes
) -> None:
    post(api, "forecast", text)
    engine.jobs.clear()
    tracemalloc.start()
    assert post(api, "forecast", text.ljust(MAX_CONCURRENT_BYTES)).status_code == 413
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MAX_PARSED_MEBIBYTES * MEBIBYTE
    assert engine.jobs == []
    assert post(api, "forecast", text.ljust(MAX_CONCURRENT_BYTES + 1)).status_code == 413
    assert engine.jobs == [READ_BODY_JOB]


def test_small_and_large_bodies_get_the_same_errors(api: Api, engine: Engine) -> None:
    values: list[float | None] = [*[1.0] * 200, 1e200]
    sent = body(values, h=1)
    plain = details_of(post(api, "forecast", sent), 422)
    assert (
        details_of(post(api, "forecast", compressed_body(sent), Content_Encoding="zstd"), 422)
        == plain
    )
    assert (plain["field"], plain["provided"]) == ("series.y[200]", 1e200)
    assert engine.jobs == [READ_BODY_JOB]


def test_two_kilobytes_that_unpack_to_objects_are_rejected_by_the_engine(
    api: Api, engine: Engine
) -> None:
    text = b'{"series":{"y":[' + b"{}," * (32 * MEBIBYTE // 3 - 20) + b"{}]}}"
    sent = compressed_body(orjson.Fragment(text))  # type: ignore[arg-type]
    assert len(sent) < 10_000
    issue = details_of(post(api, "forecast", sent, Content_Encoding="zstd"), 413)["issue"]
    assert issue.startswith("the values of the body take more than 128 MiB of memory; set num_part")
    assert engine.jobs == [READ_BODY_JOB]


@pytest.mark.parametrize(
    ("failure", "status", "words"),
    [
        (EngineBusyError(3.0), 503, "too many large requests are waiting"),
        (EngineFailedError("it ended"), 500, "the large request could not be computed: it ended"),
    ],
)
def test_an_engine_that_cannot_read_a_body_is_an_error_in_the_envelope(
    api: Api, engine: Engine, failure: Exception, status: int, words: str
) -> None:
    engine.fail = failure
    response = post(api, "forecast", compressed_body(body()), Content_Encoding="zstd")
    assert words in error_of(response, status)["details"]["issue"]
    assert engine.places == 0
