"""POST /tables/forecast returns the columns that describe names."""

from tests.api.tables.calls import forecast, rows_of
from tests.support.api import Api


def test_descriptions_stand_beside_the_names_of_months_side_by_side(api: Api) -> None:
    months = ",".join(f"2023-{month:02}" for month in range(1, 13))
    values = ",".join(str(100 + i) for i in range(12))
    table = f'SKU,Text,{months}\nA-1,"Red, large",{values}\nA-2,=1+1,{values}'
    header, first, *_, last = rows_of(forecast(api, table, "horizon=2"))
    assert header == ["SKU", "Text", "date", "value", "lower_bound", "upper_bound"]
    assert first[:3] == ["A-1", "Red, large", "2024-01"]
    assert last[:3] == ["A-2", "'=1+1", "2024-02"]
