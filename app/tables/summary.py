"""Decide whether sums of a series are meaningful, by its name, its unit and its values."""

import re

import numpy as np

from app.tables.dates.month_names import fold_text
from app.tables.results import Summary, cut_name
from app.timeseries.types import FloatArray

# Words and prefixes of words, in English, German, French and Spanish.
_SUMS = r"\b(?:total|sum|summe|gesamt|somme|suma)\b"
_LEVELS = (
    r"\b(?:temp\b|temperat|prices?\b|preis|prix\b|precio|rates?\b|quote|taux\b|tasa\b|ratio|share"
    r"|anteil|percent|prozent|pct\b|avg\b|average|mean\b|mittel|median|moyen|promedio|population"
    r"|einwohner|poblacion|stock|bestand|inventory|levels?\b|pegel|niveau|nivel|balance|saldo"
    r"|headcount|employees|members|subscribers|active|open\b|high\b|low\b|close\b|index|score"
    r"|rating|cpu|memory|utili[sz]|auslastung|latency|duration|speed|humidity|pressure|wind\b"
    r"|voltage|power|leistung|load\b|[kmg]w\b|co2|yield|margin|unemploy|inflation|interest"
    r"|zins|age\b|alter\b|celsius|fahrenheit|depth|height|weight)|temperatur|durchschnitt|preis\b"
)
_FLOWS = (
    r"\b(?:sales|visit|besuch|count|anzahl|order|bestell|revenue|umsatz|turnover|absatz|menge"
    r"|units?\b|qty|quantit|amount|betrag|passenger|request|calls?\b|clicks?\b|views?\b|download"
    r"|signups?\b|births?\b|deaths?\b|cases?\b|arrival|trips?\b|rides?\b|tickets?\b|transaction"
    r"|ventes?\b|ventas?\b|importe|montant|cantidad|pedido|commande|rain|precipitation"
    r"|consumption|verbrauch|production|energ|[kmg]wh\b|spend|costs?\b|kosten|expense|profit"
    r"|income|volume|errors?\b|events?\b|bytes|debit|credit|money|paid\b|payment|withdraw|deposit"
    r"|soll\b|haben\b|gutschrift|lastschrift|belastung|debe\b|haber\b)"
)
_LEVEL_UNITS = ("%", "‰", "°C", "°F")


def summarize(name: str, unit: str, values: FloatArray) -> Summary:
    """Return the meaningful summary of ``values``, shape (n,).

    Words of the name decide, those of levels first: a sales price is a price. Then the unit, and
    finally the values: non-negative whole numbers are counts.
    """
    words = fold_text(re.sub(r"[_\W]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", cut_name(name))))
    if unit.strip() in _LEVEL_UNITS:
        return Summary.AVERAGE
    for pattern, summary in (
        (_SUMS, Summary.TOTAL),
        (_LEVELS, Summary.AVERAGE),
        (_FLOWS, Summary.TOTAL),
    ):
        if re.search(pattern, words):
            return summary
    are_counts = bool((values >= 0).all() and (values == np.round(values)).all())
    return Summary.TOTAL if unit.strip() or are_counts else Summary.AVERAGE
