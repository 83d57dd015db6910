"""Many series at once, in parallel under the limit."""

import asyncio
import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from forecast_client import calls
from forecast_client.batch import Batch, Job, NotSentError
from forecast_client.calls import Call
from forecast_client.errors import DataError, ForecastError, as_forecast_error
from forecast_client.groups import split
from forecast_client.many_results import Many
from forecast_client.models import Model
from forecast_client.results import Backtest, Detection, Forecast
from forecast_client.series import Prepared, Preparing, Reading

if TYPE_CHECKING:
    from forecast_client.transport import AsyncTransport, Transport

__all__ = ["AsyncManySeries", "Many", "ManySeries", "NotSentError"]

R = TypeVar("R", Forecast, Detection, Backtest)
CONCURRENCY, MOST_WORKERS = 8, 64
Made = Callable[[Prepared], Call[R]]


class _Options(Reading, total=False):
    """How many series are read and sent.

    ``id_column``: of a long DataFrame. ``concurrency``: how many requests are under way at a time
    (1 to 64), by default 8. ``progress``: whether a bar is shown, by default on a terminal where
    tqdm is there.
    """

    id_column: Hashable | None
    concurrency: int
    progress: bool | None


class ManySeries:
    """The ``many`` of a client: many series at once, each by a request of its own.

    ``data`` is a long DataFrame with a column of ids (``id_column``), a wide one with its times in
    the index and a column for each series, or a dictionary of series by id. A series that cannot be
    forecast does not lose the rest: its error is in ``errors``.
    """

    def __init__(self, transport: "Transport") -> None:
        self._transport = transport

    def forecast(
        self,
        data: Any,
        horizon: int,
        *,
        model: Model | None = None,
        confidence: float | None = None,
        holidays: str | None = None,
        **options: Unpack[_Options],
    ) -> Many[Forecast]:
        """Forecast the next ``horizon`` points of each series; see ``client.forecast``."""
        return self._run(data, _forecast(horizon, model, confidence, holidays), options)

    def anomalies(
        self,
        data: Any,
        *,
        detect: str | None = None,
        false_alarm_rate: float | None = None,
        direction: str | None = None,
        **options: Unpack[_Options],
    ) -> Many[Detection]:
        """Find the points of each series that do not fit; see ``client.anomalies``."""
        return self._run(data, _anomalies(detect, false_alarm_rate, direction), options)

    def backtest(
        self,
        data: Any,
        horizon: int,
        *,
        models: Sequence[Model] | None = None,
        windows: int | None = None,
        confidence: float | None = None,
        holidays: str | None = None,
        **options: Unpack[_Options],
    ) -> Many[Backtest]:
        """Forecast the past of each series; see ``client.backtest``."""
        return self._run(data, _backtest(horizon, models, windows, confidence, holidays), options)

    def _run(self, data: Any, made: Made[R], options: _Options) -> Many[R]:
        with (
            _begun(self._transport, data, made, options) as (batch, workers),
            ThreadPoolExecutor(workers) as pool,
        ):
            futures = [pool.submit(self._work, batch) for _ in range(workers)]
            try:
                for future in as_completed(futures):
                    future.result()
            except BaseException as error:
                batch.stop(ForecastError(f"interrupted by {type(error).__name__}"))
                raise
        return _collected(batch, options)

    def _work(self, batch: Batch[R]) -> None:
        """Send calls until none is left."""
        while (trial := batch.next_trial()) is not None:
            while True:
                while (pause := trial.pause()) > 0:
                    self._transport.sleep(pause)
                if trial.is_over():
                    break
                try:
                    result = self._transport.send_once(trial.call)
                except Exception as error:  # one series does not lose the rest
                    if not trial.goes_on(as_forecast_error(error)):
                        break
                else:
                    trial.succeed(result)
                    break


class AsyncManySeries:
    """The ``many`` of an asynchronous client; see ``ManySeries``."""

    def __init__(self, transport: "AsyncTransport") -> None:
        self._transport = transport

    async def forecast(
        self,
        data: Any,
        horizon: int,
        *,
        model: Model | None = None,
        confidence: float | None = None,
        holidays: str | None = None,
        **options: Unpack[_Options],
    ) -> Many[Forecast]:
        """Forecast the next ``horizon`` points of each series; see ``client.forecast``."""
        return await self._run(data, _forecast(horizon, model, confidence, holidays), options)

    async def anomalies(
        self,
        data: Any,
        *,
        detect: str | None = None,
        false_alarm_rate: float | None = None,
        direction: str | None = None,
        **options: Unpack[_Options],
    ) -> Many[Detection]:
        """Find the points of each series that do not fit; see ``client.anomalies``."""
        return await self._run(data, _anomalies(detect, false_alarm_rate, direction), options)

    async def backtest(
        self,
        data: Any,
        horizon: int,
        *,
        models: Sequence[Model] | None = None,
        windows: int | None = None,
        confidence: float | None = None,
        holidays: str | None = None,
        **options: Unpack[_Options],
    ) -> Many[Backtest]:
        """Forecast the past of each series; see ``client.backtest``."""
        return await self._run(
            data, _backtest(horizon, models, windows, confidence, holidays), options
        )

    async def _run(self, data: Any, made: Made[R], options: _Options) -> Many[R]:
        with _begun(self._transport, data, made, options) as (batch, workers):
            tasks = [asyncio.create_task(self._work(batch)) for _ in range(workers)]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
        return _collected(batch, options)

    async def _work(self, batch: Batch[R]) -> None:
        """Send calls until none is left."""
        while (trial := batch.next_trial()) is not None:
            while True:
                while (pause := trial.pause()) > 0:
                    await self._transport.sleep(pause)
                if trial.is_over():
                    break
                try:
                    result = await self._transport.send_once(trial.call)
                except Exception as error:  # one series does not lose the rest
                    if not trial.goes_on(as_forecast_error(error)):
                        break
                else:
                    trial.succeed(result)
                    break


def _forecast(
    horizon: int, model: Model | None, confidence: float | None, holidays: str | None
) -> Made[Forecast]:
    return lambda series: calls.forecast(
        series, horizon, model=model, confidence=confidence, holidays=holidays
    )


def _anomalies(
    detect: str | None, false_alarm_rate: float | None, direction: str | None
) -> Made[Detection]:
    return lambda series: calls.anomalies(
        series, detect=detect, false_alarm_rate=false_alarm_rate, direction=direction
    )


def _backtest(
    horizon: int,
    models: Sequence[Model] | None,
    windows: int | None,
    confidence: float | None,
    holidays: str | None,
) -> Made[Backtest]:
    return lambda series: calls.backtest(
        series,
        horizon,
        models=models,
        windows=windows,
        confidence=confidence,
        holidays=holidays,
    )


@contextmanager
def _begun(
    transport: "Transport | AsyncTransport", data: Any, made: Made[R], options: _Options
) -> Iterator[tuple[Batch[R], int]]:
    """Give the batch of the series in ``data``, and how many workers it is for."""
    workers = options.get("concurrency", CONCURRENCY)
    if (
        isinstance(workers, bool)
        or not isinstance(workers, int)
        or not 1 <= workers <= MOST_WORKERS
    ):
        raise DataError(f"concurrency={workers!r}: send a whole number from 1 to {MOST_WORKERS}")
    columns = options.get("time_column"), options.get("value_column")
    count, groups = split(data, options.get("id_column"), *columns)
    with _bar(options.get("progress"), count) as told:
        jobs = _jobs(groups, made, options)
        yield Batch(jobs, transport.retries, workers, told), min(workers, max(count, 1))


def _jobs(groups: Iterator[Any], made: Made[R], options: _Options) -> Iterator[Job[R]]:
    """Give each id and its call, or why there is none; each is prepared when it is its turn."""
    how = options.get("frequency"), options.get("fill"), options.get("duplicates")
    preparing = Preparing(*how)
    for name, series in groups:
        try:
            if isinstance(series, ForecastError):
                yield name, series
                continue
            prepared = series if isinstance(series, Prepared) else preparing.prepare(series)
            call = made(prepared)
        except Exception as error:  # one series does not lose the rest
            yield name, as_forecast_error(error)
        else:
            yield name, call


def _collected(batch: Batch[R], options: _Options) -> Many[R]:
    """Return the results of a batch, in the order of the data."""
    results = {name: batch.results[name] for name in batch.order if name in batch.results}
    errors = {name: batch.errors[name] for name in batch.order if name in batch.errors}
    return Many(results, errors, options.get("id_column") or "id")


@contextmanager
def _bar(progress: bool | None, count: int) -> Iterator[Callable[[], object]]:
    """Yield the function to call after each series, which advances the bar if there is one."""
    if progress is False or (progress is None and not sys.stderr.isatty()):
        yield lambda: None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if progress:
            raise DataError("progress=True needs tqdm: pip install tqdm") from None
        yield lambda: None
        return
    with tqdm(total=count, unit="series") as bar:
        yield lambda: bar.update(1)
