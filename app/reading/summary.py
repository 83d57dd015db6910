"""Whether a sum over periods means something for a series, by its name, its unit and its values."""

import re

import numpy as np

from app.forecasting.types import FloatArray
from app.reading.dates.month_names import plain
from app.reading.results import Summary

_AVERAGES = re.compile(
    r"\b(?:temp(?:erature|eratura|eratur)?s?|price|preis|prix|precio|cost per|rate|quote|taux|tasa"
    r"|ratio|share|anteil|part|percent(?:age)?|prozent|pct|avg|average|mean|mittel(?:wert)?|median"
    r"|moyenne|promedio|population|einwohner|bevolkerung|poblacion|stock|bestand|inventory|level"
    r"|pegel|niveau|nivel|balance|saldo|headcount|employees|members|subscribers|active|open|high|low"
    r"|close|index|score|rating|cpu|memory|usage|utili[sz]ation|auslastung|latency|duration|speed"
    r"|humidity|pressure|wind|voltage|current|frequency|power|leistung|load|last|demand|[kmg]w"
    r"|concentration|co2|pm10|ph|yield|margin|unemployment|inflation|interest|zins|speed|age|alter"
    r"|size|weight|height|depth|value at|hpi|cpi|gini|p\d\d|ms|celsius|fahrenheit)\b"
)
_TOTALS = re.compile(
    r"\b(?:sales|visits?|visitors|besucher|count|counts|anzahl|orders?|bestellungen|revenue|umsatz"
    r"|turnover|absatz|menge|units?|qty|quantity|amount|betrag|total|sum|summe|passengers|requests?"
    r"|calls|clicks|views|downloads|signups|registrations|births|deaths|cases|arrivals|trips|rides"
    r"|tickets|transactions|ventes?|ventas?|importe|montant|quantite|cantidad|pedidos|commandes"
    r"|rain|rainfall|precipitation|consumption|verbrauch|production|energy|energie|[kmg]wh|spend"
    r"|costs?|kosten|expenses|profit|income|volume|errors|events|bytes)\b"
)
_LEVEL_UNITS = ("%", "‰", "°C", "°F")


def summary_of(name: str, unit: str, values: FloatArray) -> Summary:
    """Return what sums of ``values``, shape (n,), mean.

    Words of the name decide, the last of them first: "sales price" is a price. Then the unit, and
    at last the values: whole numbers that are never negative are counted.
    """
    if unit.strip() in _LEVEL_UNITS:
        return Summary.AVERAGE
    words = re.sub(r"[_\W]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
    words = plain(words)
    average = max((match.start() for match in _AVERAGES.finditer(words)), default=-1)
    total = max((match.start() for match in _TOTALS.finditer(words)), default=-1)
    if average != total:
        return Summary.AVERAGE if average > total else Summary.TOTAL
    is_money = bool(unit.strip())
    is_count = bool(values.size and (values >= 0).all() and (values == np.round(values)).all())
    return Summary.TOTAL if is_money or is_count else Summary.AVERAGE
