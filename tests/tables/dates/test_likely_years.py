"""Numbers of about 2000 are years only if they are as far apart as years."""

import datetime as dt
from dataclasses import replace

import pytest

from tests.tables.tables import BOUNDS, read_text, rejection_of, requirements


@pytest.mark.parametrize(
    "text",
    [
        "Region,p1 a,p2 a,p3 a\nNord,2110,2084,1990\nSüd,2127,2006,2044",
        "Region,p1 a,p2 a,p3 a\nNord,2110,2084,1990",
        "Region,p1 a,p2 a,p3 a\nNord,2110,2084,2001\nSüd,2127,2006,2002",
        "Kunde,Umsatz,Menge\nA,1990,3\nB,1995,4\nC,2004,5\nD,2050,6\nE,2090,7",
    ],
)
def test_values_of_about_2000_are_not_years(text: str) -> None:
    assert "no column of dates" in rejection_of(text.encode()).issue


@pytest.mark.parametrize(
    "text",
    [
        "x,y\n" + "\n".join(f"{year},{year % 7}" for year in (2001, 2002, 2004, 2008, 2012)),
        "\n".join(f"{year},{year % 7}" for year in range(1960, 2024, 4)),
        "land,t,y\n" + "\n".join(f"a,{year},{year % 7}" for year in range(1990, 2020)),
        "Kode,Menge,Jahr\n" + "\n".join(f"a,{y % 7},{y}" for y in (1990, 2005, 2050, 2100)),
        "Code,Wert,Année\n" + "\n".join(f"a,{y % 7},{y}" for y in (2012, 2017)),
        "Région,Population,Millésime\n" + "\n".join(f"a,{y % 7},{y}" for y in (2012, 2017)),
        "määrä,vuosi\n" + "\n".join(f"{y % 7},{y}" for y in (1990, 2005, 2050, 2100)),
    ],
)
def test_years_are_read_by_their_steps_place_or_name(text: str) -> None:
    [series] = read_text(text, replace(BOUNDS, today=dt.date.max)).series
    assert all(time.endswith("-01-01T00:00:00") for time in series.timestamps)
    assert requirements(read_text("x,y\n2001,4\n2002,5\n2003,7")) == []
