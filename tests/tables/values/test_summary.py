"""Whether a series is added up or averaged over periods, by its name, unit and values."""

import pytest

from app.tables.values.summary import choose_summary
from tests.tables.tables import read_text


@pytest.mark.parametrize(
    "name",
    [
        *("temperature", "Temp (°C)", "price", "Sales price", "conversion rate", "share of sales"),
        *("population", "load [MW]", "power_kw", "Auslastung in %", "cpu", "stock level", "Preis"),
        *("Durchschnittstemperatur", "avg visits", "avgPrice", "unemployment rate", "Bestand"),
        *(
            "latency_ms",
            "interest",
            "Close",
            "température",
            "prix",
            "RevPAR",
            "含税单价",
            "平均気温",
        ),
        *("AHT (s)", "Call handling time", "Wartezeit [s]"),
        *("Ort. Maliyet (TL)", "Medelpris", "Средняя цена", "단가"),
        *("ICU Census", "Staffed Beds", "On Hand", "Ø Herzfrequenz", "Maximale Herzfrequenz"),
        *("Lower Quartile Rent", "Wechselkurs", "Share price ($)", "Net margin", "Rel Hum (%)"),
        *("TMAX", "wdir", "wspd", "views_per_visit", "Revenue per order", "Glucose mg/dL"),
        *("BIP gesamt Veränderung in % p. a.", "Ср. скорость", "Dividend yield"),
        *(
            "Consumption (kW)",
            "Boiler °C",
            "Production [kg/h]",
            "Energy cost (EUR/MWh)",
            "Output (W)",
        ),
    ],
)
def test_levels_are_averaged(name: str) -> None:
    assert choose_summary(name, "", has_counts=True) == "average"


@pytest.mark.parametrize(
    "name",
    [
        *("sales", "Unit sales", "visits", "count", "orders", "Umsatz", "Bestellungen", "ventes"),
        *("revenue", "passengers", "requests", "energy (kWh)", "consumption", "rainfall mm"),
        *("page views", "Anzahl", "ventas", "units sold", "total_amount", "price_total"),
        *("Consumo (kWh)", "Belopp", "Toplam Desi", "价税合计", "売上", "Продажи", "매출액", "Tax"),
        *("Net", "Brutto", "Personalkosten", "valor (R$)", "S3($)", "EC2-Instances($)", "Distanz"),
        *("Amount with 19 % tax", "PV Yield (kWh)"),
        *("Power consumption (kWh)", "Load (MWh)", "Active energy kWh", "Sales and/or loans"),
        *("Calls per hour", "Sales per day"),
    ],
)
def test_flows_are_added_up(name: str) -> None:
    assert choose_summary(name, "", has_counts=False) == "total"


@pytest.mark.parametrize(
    ("unit", "has_counts", "summary"),
    [
        ("", True, "total"),
        ("", False, "average"),
        (" €", False, "total"),
        ("%", True, "average"),
        (" °C", True, "average"),
    ],
)
def test_without_a_clear_name_units_and_values_decide(unit, has_counts, summary) -> None:
    assert choose_summary("Column 2", unit, has_counts) == summary


def test_amounts_with_a_currency_before_them_are_added_up() -> None:
    rows = [f"2025-01-{day:02},$ {day}.25,{day}.25" for day in range(1, 31)]
    signed, plain = read_text(["day,A,B", *rows]).series
    assert (signed.summary, plain.summary) == ("total", "average")


def test_the_name_in_the_rows_decides_if_the_column_is_unnamed() -> None:
    assert choose_summary("value", "", False, "Gross Sales") == "total"
    assert choose_summary("value", "", True, "Unit price") == "average"
    assert choose_summary("sales", "", False, "Open market") == "total"


@pytest.mark.parametrize("value", [1, -1, 0.5])
def test_the_values_of_all_series_of_a_column_decide(value: float) -> None:
    rows = [
        f"2025-01-{day:02},{name}" for day in range(1, 13) for name in (f"A,{day}", f"B,{value}")
    ]
    summaries = [series.summary for series in read_text(["date,name,x", *rows]).series]
    assert summaries == ["total" if value == 1 else "average"] * 2
