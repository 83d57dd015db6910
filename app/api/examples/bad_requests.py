"""Errors of a request's form: its path, its body, its parameters."""

from app.api.examples.error import REMOVED, ErrorExample, parameter_error
from app.forecasting.calendar.frequency import Frequency
from app.forecasting.series import MODEL_IDS

FREQUENCIES = ", ".join(Frequency)
MODELS = ", ".join(MODEL_IDS)
FIELDS = "series, forecast_horizon, data_frequency, forecast_frequency, confidence"

BAD_REQUESTS: tuple[ErrorExample, ...] = (
    parameter_error(
        "missing-field",
        "A required field is missing.",
        "Send `series`, `forecast_horizon`, `data_frequency` and `forecast_frequency`; "
        "`confidence` alone may be left out.",
        ("forecast_horizon", "missing: send a whole number from 1 to 100", None),
        changes={"forecast_horizon": REMOVED},
    ),
    parameter_error(
        "unknown-field",
        "A field is not known, at the top or inside of the series.",
        "Remove it, or correct its spelling. A forecast takes one series and no covariates.",
        (
            "horizon",
            f"unknown field: remove it or check its spelling; known are {FIELDS}",
            3,
        ),
        changes={"horizon": 3},
    ),
    parameter_error(
        "horizon-out-of-range",
        "`forecast_horizon` is below 1 or above 100.",
        "Ask for 1 to 100 periods. To see further, send a coarser series: a year ahead is 365 "
        "periods of `Daily` data, but 52 of `Weekly`.",
        ("forecast_horizon", "Must be between 1 and 100", 101),
        changes={"forecast_horizon": 101},
    ),
    parameter_error(
        "number-in-quotes",
        "A number is sent as text, or a whole number with a fraction.",
        'Send JSON numbers: `3`, not `"3"` and not `3.5`. `true` and `null` are no numbers.',
        (
            "forecast_horizon",
            "Must be a whole number, without quotes and without a fraction",
            "3",
        ),
        changes={"forecast_horizon": "3"},
    ),
    parameter_error(
        "confidence-out-of-range",
        "`confidence` is below 0.1 or above 0.99.",
        "Send a share, not per cent: `0.95` for 95 %.",
        ("confidence", "Must be between 0.1 and 0.99", 95),
        changes={"confidence": 95},
    ),
    parameter_error(
        "confidence-no-number",
        "`confidence` is no JSON number.",
        "Send a number without quotes, such as `0.9`, or leave the field out: it is then `0.95`.",
        ("confidence", "Must be a number, without quotes", "0.9"),
        changes={"confidence": "0.9"},
    ),
    parameter_error(
        "unknown-frequency",
        "`data_frequency` or `forecast_frequency` is none of the eight.",
        f"Send one of {FREQUENCIES}, spelt like this.",
        ("data_frequency", f"invalid frequency: Must be one of {FREQUENCIES}", "monthly"),
        changes={"data_frequency": "monthly"},
    ),
    parameter_error(
        "frequencies-differ",
        "`forecast_frequency` is not the `data_frequency`.",
        "Send the same in both: a forecast goes on in the step of its data. For another step, "
        "add up or average the data first.",
        (
            "forecast_frequency",
            "invalid frequency: Must equal data_frequency, which is Monthly",
            "Quarterly",
        ),
        changes={"forecast_frequency": "Quarterly"},
    ),
    parameter_error(
        "several-series",
        "`series` holds none, or more than one.",
        "Send one series in a request; for several series send several requests.",
        (
            "series",
            "Must hold exactly 1 series, not 2; send one request for each",
            "array of 2 items",
        ),
        changes={"series": [{}, {}]},
    ),
    parameter_error(
        "series-no-array",
        "`series` is no array.",
        "Put the one object with `timestamps` and `values` into brackets: `[{…}]`.",
        ("series", "Must be an array of exactly 1 series", "object with 0 fields"),
        changes={"series": {}},
    ),
    parameter_error(
        "series-no-object",
        "The series is no object.",
        "Send an object with two arrays of equal length, `timestamps` and `values`.",
        ("series[0]", "Must be an object with timestamps and values", "array of 3 items"),
        changes={"series[0]": [112, 118, 132]},
    ),
    parameter_error(
        "past-the-year-9999",
        "The forecast would pass the year 9999.",
        "Ask for as many periods as the issue says, or mend timestamps that a wrong unit has sent "
        "so far away.",
        (
            "forecast_horizon",
            "the forecast would pass the year 9999: send a forecast_horizon of at most 2",
            3,
        ),
        changes={
            "series[0].timestamps": [f"{year}-01-01T00:00:00Z" for year in range(9986, 9998)],
            "data_frequency": "Yearly",
            "forecast_frequency": "Yearly",
        },
    ),
    parameter_error(
        "unknown-model",
        "The header `X-Model-Id` names no model.",
        f"Send one of {MODELS}, or leave the header out.",
        ("X-Model-Id", f"unknown model: Must be one of {MODELS}", "forecast-model-5"),
        headers={"X-Model-Id": "forecast-model-5"},
    ),
    parameter_error(
        "several-defects",
        "Several things are wrong at once: `errors` lists them all, 20 at most.",
        "Mend all that `errors` lists, then send the request again.",
        ("forecast_horizon", "Must be between 1 and 100", 0),
        ("confidence", "Must be between 0.1 and 0.99", 1.5),
        changes={"forecast_horizon": 0, "confidence": 1.5},
    ),
    ErrorExample(
        "malformed-json",
        400,
        "The body is no JSON.",
        "Let a JSON library write the body. `NaN` and `Infinity` are no JSON (RFC 8259): leave "
        "no gaps in the values, fill them first.",
        "Request body is not valid JSON",
        {
            "issue": "the body is not valid JSON: NaN is no JSON (index 1 of an array): line 1 "
            "column 48 (char 47); send a number there; fill gaps before you send the series"
        },
        body='{"series": [{"timestamps": [], "values": [112, NaN]}]}',
    ),
    ErrorExample(
        "number-too-large",
        400,
        "A number is larger than any that JSON readers hold.",
        "Send numbers of a magnitude up to 1e100, and the series in larger units if need be.",
        "Request body is not valid JSON",
        {
            "issue": "the body is not valid JSON: a number is beyond what JSON readers hold "
            "(1.8e308): line 1 column 43 (char 42); send one JSON object"
        },
        body='{"series": [{"timestamps": [], "values": [1e400]}]}',
    ),
    ErrorExample(
        "nested-too-deeply",
        400,
        "The body is nested deeper than any request is.",
        "Send the four levels of the example: the body, `series`, its object, its columns.",
        "Request body is not valid JSON",
        {"issue": "the body is nested deeper than 32 levels; send a flat request"},
        body=f'{{"series": {"[" * 40}{"]" * 40}}}',
    ),
    ErrorExample(
        "body-incomplete",
        400,
        "The body ended before it had as many bytes as announced.",
        "Let an HTTP library write `Content-Length`, and send the request again.",
        "Request body is incomplete",
        {
            "issue": "the body could not be read to its end: it ended after 15 of 434 bytes; send "
            "it again, as long as announced"
        },
        body='{"series": [{"t',
        circumstance="The header `Content-Length` says 434.",
    ),
    ErrorExample(
        "body-stalled",
        400,
        "The body came to a halt: for 10 s nothing of it arrived.",
        "Have the whole body ready before the request is sent, and send it again.",
        "Request body is incomplete",
        {
            "issue": "the body could not be read to its end: nothing more of it came; send it "
            "again, as long as announced"
        },
        body='{"series": [{"t',
        circumstance="The client sends no more than this, and keeps the connection.",
    ),
    ErrorExample(
        "no-json-object",
        400,
        "The body is JSON, but no object.",
        "Put the series into the field `series` of an object that has the other fields too.",
        "Request body is not a JSON object",
        {"issue": "the body is an array; send one object with the fields of a request"},
        body='[{"timestamps": [], "values": []}]',
    ),
    ErrorExample(
        "unknown-path",
        404,
        "There is no such path.",
        "The endpoints are `POST /forecast` and `GET /verify`, without a version and without a "
        "slash at their end.",
        "Not Found",
        {"issue": "there is no /forecasts; the endpoints are POST /forecast, GET /verify"},
        path="/forecasts",
    ),
    ErrorExample(
        "wrong-method",
        405,
        "The path does not take this method.",
        "Send the method that the header `Allow` names.",
        "Method Not Allowed",
        {"issue": "GET is not allowed on /forecast; send POST"},
        method="GET",
        answer_headers={"Allow": "POST"},
    ),
    ErrorExample(
        "body-too-large",
        413,
        "The body is larger than the service takes (`MAX_BODY_BYTES`, by default 4 MiB).",
        "Send the most recent points only: a forecast gains little from more than some thousand.",
        "Request body is too large",
        {"issue": "the body is larger than 4194304 bytes; send a shorter series"},
        circumstance="The body has more than 4,194,304 bytes.",
    ),
    ErrorExample(
        "not-json",
        415,
        "The header `Content-Type` is not `application/json`.",
        "Send `Content-Type: application/json`; `curl -d` alone sends another one.",
        "Unsupported media type",
        {"issue": "Content-Type is 'application/x-www-form-urlencoded'; send application/json"},
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    ),
    ErrorExample(
        "compressed-body",
        415,
        "The header `Content-Encoding` says that the body is compressed.",
        "Send the JSON as it is, without this header; 4 MiB hold 50,000 points. nginx "
        "in front compresses answers where `Accept-Encoding` allows it.",
        "Unsupported media type",
        {"issue": "Content-Encoding is 'gzip'; send the body as it is, without it"},
        headers={"Content-Encoding": "gzip"},
    ),
)
"""In the order in which they are shown."""
