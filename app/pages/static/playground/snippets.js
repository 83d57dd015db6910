// The request as code. The key is never written into it: it comes from the environment.

const SHOWN_ENTRIES = 3;

const WRITERS = {
  // curl hides the value of this option in the list of processes, unlike that of a header.
  curl: ({ url, headers, json }) => `curl -s ${url} \\
  --oauth2-bearer "$FORECAST_KEY" \\
  -H "Content-Type: application/json" \\
${lines(headers, (name, value) => `  -H "${name}: ${value}" \\`)}  -d @- <<'JSON'
${json}
JSON
`,
  python: ({ url, headers, json, printing }) => `import os

import requests

response = requests.post(
    "${url}",
    headers={
        "Authorization": f"Bearer {os.environ['FORECAST_KEY']}",
${lines(headers, (name, value) => `        "${name}": "${value}",`)}    },
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
${lines(headers, (name, value) => `    "${name}": "${value}",`)}  },
  body: JSON.stringify(${indent(json, "  ")}),
});
const body = await response.json();
if (!response.ok) throw new Error(JSON.stringify(body.error));
console.log(body);
`,
};

/** How Python prints what it gets. */
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
 * @param {"curl"|"python"|"javascript"} language
 * @param {{url: string, headers: object, body: object, printing: string}} request `printing` is
 *     one of PRINTING
 * @param {{shortened?: boolean}} options shortened: long columns are cut, for reading
 */
export function writeSnippet(language, { body, ...request }, { shortened = false } = {}) {
  const nothing = language === "python" ? "None" : "null";
  return WRITERS[language]({ ...request, json: writeBody(body, shortened, nothing) });
}

function lines(headers, write) {
  return Object.entries(headers).map(([name, value]) => `${write(name, value)}\n`).join("");
}

/** JSON with one line a field: a literal in JavaScript, and in Python but for `nothing`. */
function writeBody(body, shortened, nothing) {
  const [{ timestamps, values }] = body.series;
  const column = (items) => {
    const all = items.map((item) => JSON.stringify(item));
    const hidden = all.length - 2 * SHOWN_ENTRIES;
    const shown =
      shortened && hidden > 1
        ? [...all.slice(0, SHOWN_ENTRIES), `… ${hidden} more …`, ...all.slice(-SHOWN_ENTRIES)]
        : all;
    return `[${shown.join(", ")}]`;
  };
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

function indent(text, margin) {
  return text.replaceAll("\n", `\n${margin}`);
}
