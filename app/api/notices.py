"""The header that tells what to know of a 200 response."""

from collections.abc import Sequence

from app.api.declaration import Json

NOTICE = "X-Forecast-Notice"
NOTICE_HEADER: dict[str, Json] = {
    NOTICE: {
        "description": "What to know about this response, if anything. Of a forecast: that the "
        "series is shorter than recommended, or that a simpler model took over. Of a detection: "
        "that the series is too short for so low a false alarm rate. Of both: what was set aside. "
        "Of a backtest: that windows were left out, that a simpler model took over, or that the "
        "seasonal naive has a smaller error than every model. Several notices are separated by "
        "`; `.",
        "schema": {
            "type": "string",
            "examples": [
                "series has 12 points, 30 are recommended for Daily data",
                "spikes before the last point were set aside: 1",
            ],
        },
    },
}


def notice_headers(notices: Sequence[str]) -> dict[str, str]:
    """Return the headers of a response of which there are ``notices``."""
    return {NOTICE: "; ".join(notices)} if notices else {}
