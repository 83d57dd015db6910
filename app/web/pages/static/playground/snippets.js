// The request as code. The key is never written into it: it comes from the environment.

const SHOWN_ENTRIES = 3;
const DEFAULT_CONFIDENCE = 0.95;

const WRITERS = {
  client: ({ url, headers, body, column }) => `from forecast_client import ForecastClient

timestamps = ${column(body.series[0].timestamps)}
values = ${column(body.series[0].values)}
with ForecastClient("${baseUrl(url)}") as client:
    ${indent(clientCall(headers, body), "    ")}`,
  // curl hides the value of this option in the list of processes, unlike that of a header.
  curl: ({ url, headers, json }) => `curl -s ${url} \\
  --oauth2-bearer "$FORECAST_KEY" \\
  -H "Content-Type: application/json" \\
${headerLines(headers, (name, value) => `  -H "${name}: ${value}" \\`)}  -d @- <<'JSON'
${json}
JSON
`,
  python: ({ url, headers, json, printing }) => `import os

import requests

response = requests.post(
    "${url}",
    headers={
        "Authorization": f"Bearer {os.environ['FORECAST_KEY']}",
${headerLines(headers, (name, value) => `        "${name}": "${value}",`)}    },
    json=${indent(json, "    ")},
    timeout=60,
)
if not response.ok:
    raise SystemExit(response.json()["error"])
${printing}`,
  javascript: ({ url, headers, json }) => `const response = await fetch("${url}", {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.FORECAST_KEY}\`,
    "Content-Type": "application/json",
${headerLines(headers, (name, value) => `    "${name}": "${value}",`)}  },
  body: JSON.stringify(${indent(json, "  ")}),
});
const body = await response.json();
if (!response.ok) throw new Error(JSON.stringify(body.error));
console.log(body);
`,
  nixtla: ({ url, headers, body, column }) => `import os

import pandas as pd
from nixtla import NixtlaClient

client = NixtlaClient(
    base_url="${baseUrl(url)}/timegpt",
    api_key=os.environ["FORECAST_KEY"],
)
series = pd.DataFrame({
    "unique_id": "series",
    "ds": pd.to_datetime(${column(body.series[0].timestamps)}),
    "y": ${column(body.series[0].values)},
})
${nixtlaCall(headers, body)}`,
};

/** The Python code that prints a response. */
export const PRINTING = {
  forecast: `forecast = response.json()
columns = ("forecast_timestamps", "lower_bound", "median", "upper_bound")
for period in zip(*(forecast[column] for column in columns)):
    print(*period)
`,
  anomalies: `detection = response.json()
for event in detection["events"]:
    print(event["start"], event["end"], event["kind"], event["severity"])
for change in detection["change_points"]:
    print(change["timestamp"], "level", change["before"], "to", change["after"])
`,
};

/**
 * Write a request as code.
 *
 * @param {"client"|"curl"|"python"|"javascript"|"nixtla"} language
 * @param {{url: string, headers: object, body: object, printing: string}} request `printing` is
 *     one of PRINTING
 * @param {{shortened?: boolean}} options shortened: long columns are cut, for reading
 */
export function writeSnippet(language, { body, ...request }, { shortened = false } = {}) {
  const nothing = language === "python" ? "None" : "null";
  const column = (items) => writeColumn(items, shortened);
  return WRITERS[language]({ ...request, body, column, json: writeBody(body, column, nothing) });
}

/** The base URL of an endpoint's URL. */
function baseUrl(url) {
  return url.slice(0, url.lastIndexOf("/"));
}

/** The call of the project's own client, which reads the key from the environment. */
function clientCall(headers, { data_frequency: frequency, forecast_horizon: steps, ...body }) {
  const call = (name, options) => {
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    const lines = given.map(([option, value]) => `    ${option}=${JSON.stringify(value)},\n`);
    return `client.${name}(\n    (timestamps, values),\n${lines.join("")})`;
  };
  if (steps === undefined) {
    const { detect, false_alarm_rate, direction } = body;
    return `detection = ${call("anomalies", { frequency, detect, false_alarm_rate, direction })}
for event in detection.events:
    print(event.start, event.end, event.kind, event.severity)
for change in detection.change_points:
    print(change.timestamp, "level", change.before, "to", change.after)
`;
  }
  const [model, holidays] = [headers["X-Model-Id"], headers["X-Holidays"]];
  const options = { horizon: steps, frequency, model, confidence: body.confidence, holidays };
  return `forecast = ${call("forecast", options)}
print(forecast.frame.to_string())
`;
}

/** The call of Nixtla's SDK; its frame could contain many series. */
function nixtlaCall(headers, { forecast_horizon: steps, confidence, false_alarm_rate: rate }) {
  const inPercent = (fraction) => Number((100 * fraction).toFixed(4));
  if (steps === undefined) {
    return `found = client.detect_anomalies(series, level=${inPercent(1 - rate)})
print(found[found["anomaly"]].to_string())
`;
  }
  const level = inPercent(confidence ?? DEFAULT_CONFIDENCE);
  return `print(client.forecast(
    series, h=${steps}, level=[${level}], model="${headers["X-Model-Id"]}"
).to_string())
`;
}

function headerLines(headers, write) {
  return Object.entries(headers).map(([name, value]) => `${write(name, value)}\n`).join("");
}

/** JSON with one line a field: a literal in JavaScript, and in Python but for `nothing`. */
function writeBody(body, column, nothing) {
  const [{ timestamps, values }] = body.series;
  const fields = Object.entries(body)
    .filter(([name]) => name !== "series")
    .map(([name, value]) => `  "${name}": ${value === null ? nothing : JSON.stringify(value)}`);
  return [
    "{",
    '  "series": [{',
    `    "timestamps": ${column(timestamps)},`,
    `    "values": ${column(values)}`,
    "  }],",
    fields.join(",\n"),
    "}",
  ].join("\n");
}

function writeColumn(items, shortened) {
  const all = items.map((item) => JSON.stringify(item));
  const hidden = all.length - 2 * SHOWN_ENTRIES;
  const shown =
    shortened && hidden > 1
      ? [...all.slice(0, SHOWN_ENTRIES), `… ${hidden} more …`, ...all.slice(-SHOWN_ENTRIES)]
      : all;
  return `[${shown.join(", ")}]`;
}

/** A text with all lines but the first indented. */
function indent(text, margin) {
  return text.replace(/\n(?=.)/g, `\n${margin}`);
}
