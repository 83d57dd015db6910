"""Many series in parallel, within the rate limit: ``many`` of both clients."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack

from forecast_client import calls
from forecast_client.calls import Call
from forecast_client.errors import DataError, ForecastError, as_forecast_error
from forecast_client.models import Model
from forecast_client.parallel_calls import Job, ParallelCalls
from forecast_client.resources import AnyTransport, Method, Resource
from forecast_client.results import Backtest, Detection, Forecast
from forecast_client.retries import Flow, Plan, Retries
from forecast_client.series import Reading

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

R = TypeVar("R", Forecast, Detection, Backtest)
DEFAULT_CONCURRENCY, MAX_WORKERS = 8, 64


class ManyReading(Reading, total=False):
    """Options for reading and sending many series.

    ``id_column``: of a long DataFrame. ``concurrency``: concurrent requests (1 to 64), by default
    8. ``progress``: whether tqdm, if installed, shows a bar; by default on a terminal.
    """

    id_column: Hashable | None
    concurrency: int
    progress: bool | None


class AnomalyOptions(ManyReading, total=False):
    """The options of ``ForecastClient.anomalies``."""

    detect: str | None
    false_alarm_rate: float | None
    direction: str | None


class BacktestOptions(ManyReading, total=False):
    """The options of ``ForecastClient.backtest``."""

    models: Sequence[Model] | None
    windows: int | None
    confidence: float | None
    holidays: str | None


@dataclass(eq=False, repr=False)
class Many(Mapping[Hashable, R], Generic[R]):
    """The results of many series: a mapping from ids to successful results.

    ``results`` and ``errors`` are dictionaries by id, in the order of the data; each id is in one
    of them. ``id_name`` is the column of ids in ``frame``.
    """

    results: dict[Hashable, R]
    errors: dict[Hashable, ForecastError]
    id_name: Hashable = "id"

    def __getitem__(self, name: Hashable) -> R:
        if name in self.errors:
            raise KeyError(f"{name} failed, see errors: {self.errors[name]}")
        return self.results[name]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __repr__(self) -> str:
        total = len(self.results) + len(self.errors)
        return f"Many({len(self.results):,} of {total:,} series, {len(self.errors):,} failed)"

    def plot(self, count: int = 12) -> "Figure":
        """Draw the first ``count`` results next to each other, each with its history."""
        from forecast_client import plot

        return plot.draw_many(dict(list(self.results.items())[:count]))

    @property
    def frame(self) -> "pd.DataFrame":
        """One long DataFrame: the id, the timestamp (for backtests the model), then the results."""
        import pandas as pd

        if not self.results:
            return pd.DataFrame()
        frames = [result.frame for result in self.results.values()]
        label = frames[0].index.name or "timestamp"
        long = pd.concat([frame.rename_axis(label).reset_index() for frame in frames])
        ids = pd.Index(list(self.results)).repeat([len(frame) for frame in frames])
        # Another column may have this name.
        id_name = self.id_name if self.id_name not in long.columns else f"{self.id_name}_id"
        long.insert(0, id_name, ids)
        return long.reset_index(drop=True)


class ManySeries(Resource[AnyTransport]):
    """Sends many series in parallel, one request each.

    ``client.many.anomalies(frame, id_column="store").frame``

    ``data`` is a long DataFrame with a column of ids (``id_column``), a wide one with its times in
    the index and a column for each series, or a dictionary of series by id. A series that fails
    does not affect the others: its error is in ``errors``. ``ForecastClient.forecast`` takes the
    same data.
    """

    @Method
    def anomalies(self, data: Any, **options: Unpack[AnomalyOptions]) -> Plan[Many[Detection]]:
        """Find the outliers of each series; see ``ForecastClient.anomalies``."""
        return _plan_many(data, calls.anomalies, options)

    @Method
    def backtest(
        self, data: Any, horizon: int, **options: Unpack[BacktestOptions]
    ) -> Plan[Many[Backtest]]:
        """Forecast the past of each series; see ``ForecastClient.backtest``."""
        return _plan_many(data, partial(calls.backtest, horizon=horizon), options)


def _plan_many(data: Any, build: Callable[..., Call[R]], options: ManyReading) -> Plan[Many[R]]:
    from forecast_client import frames

    id_column, progress = options.pop("id_column", None), options.pop("progress", None)
    workers = options.pop("concurrency", DEFAULT_CONCURRENCY)
    if type(workers) is not int or not 1 <= workers <= MAX_WORKERS:
        raise DataError(f"{workers!r}: send a whole number from 1 to {MAX_WORKERS}", "concurrency")
    columns = options.get("time_column"), options.get("value_column")
    count, groups = frames.split(data, id_column, *columns)

    def jobs() -> Iterator[Job[R]]:
        for name, series in groups:
            try:
                yield name, build(series, **options)
            except Exception as error:  # an error in one series must not fail the others
                yield name, as_forecast_error(error)

    def plan(retries: Retries) -> Flow[Many[R]]:
        with _progress_bar(progress, count) as bar:
            report = (lambda: None) if bar is None else bar.update
            parallel = ParallelCalls(jobs(), retries, min(workers, max(count, 1)), report)
            yield from parallel.run()
        results = {
            name: parallel.results[name] for name in parallel.order if name in parallel.results
        }
        errors = {name: parallel.errors[name] for name in parallel.order if name in parallel.errors}
        return Many(results, errors, id_column or "id")

    return plan


def _progress_bar(progress: bool | None, count: int) -> AbstractContextManager[Any]:
    if progress is False:
        return nullcontext()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return nullcontext()
    return tqdm(total=count, unit="series", disable=False if progress else None)
