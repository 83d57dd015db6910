"""What calls for many series return."""

from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

from forecast_client.errors import ForecastError
from forecast_client.results import Backtest, Detection, Forecast

if TYPE_CHECKING:
    import pandas as pd

R = TypeVar("R", Forecast, Detection, Backtest)


class Many(Mapping[Hashable, R], Generic[R]):
    """The results of many series: a mapping of those that succeeded by their id.

    ``results`` and ``errors`` are dictionaries by id, in the order of the data; each id is in one
    of them.
    """

    def __init__(
        self,
        results: dict[Hashable, R],
        errors: dict[Hashable, ForecastError],
        id_name: Hashable = "id",
    ) -> None:
        self.results: dict[Hashable, R] = results
        self.errors: dict[Hashable, ForecastError] = errors
        self._id_name = id_name

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

    @property
    def frame(self) -> "pd.DataFrame":
        """One long DataFrame: the id, the timestamp (a backtest: the model), then the results."""
        import pandas as pd

        if not self.results:
            return pd.DataFrame()
        frames = [result.frame for result in self.results.values()]
        label = frames[0].index.name or "timestamp"
        names = list(self.results)
        lengths = [len(frame) for frame in frames]
        long = pd.concat([frame.rename_axis(label).reset_index() for frame in frames])
        ids = pd.Index(names).repeat(lengths)
        # A column that is named as the ids are gives way.
        id_name = self._id_name if self._id_name not in long.columns else f"{self._id_name}_id"
        long.insert(0, id_name, ids)
        return long.reset_index(drop=True)
