// The request as code. The key is never written into it: it comes from the environment.

const SHOWN_ENTRIES = 3;

const WRITERS = {
  // Of an option for keys curl leaves nothing in the list of processes; it is sent as all others do.
  curl: ({ url, model, json }) => `curl -s ${url} \\
  --oauth2-bearer "$FORECAST_KEY" \\
  -H "Content-Type: application/json" \\
  -H "X-Model-Id: ${model}" \\
  -d @- <<'JSON'
${json}
JSON
`,
  python: ({ url, model, json }) => `import os

import requests

response = requests.post(
    "${url}",
    headers={
        "Authorization": f"Bearer {os.environ['FORECAST_KEY']}",
        "X-Model-Id": "${model}",
    },
    json=${indent(json, "    ")},
    timeout=60,
)
if not response.ok:
    raise SystemExit(response.json()["error"])
forecast = response.json()
columns = ("forecast_timestamps", "lower_bound", "median", "upper_bound")
for period in zip(*(forecast[column] for column in columns)):
    print(*period)
`,
  javascript: ({ url, model, json }) => `const response = await fetch("${url}", {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.FORECAST_KEY}\`,
    "Content-Type": "application/json",
    "X-Model-Id": "${model}",
  },
  body: JSON.stringify(${indent(json, "  ")}),
});
const answer = await response.json();
if (!response.ok) throw new Error(JSON.stringify(answer.error));
console.log(answer);
`,
};

/**
 * Write a request as code.
 *
 * @param {"curl"|"python"|"javascript"} language
 * @param {{url: string, model: string, body: object}} request
 * @param {{shortened?: boolean}} options shortened: long columns are cut, for reading
 */
export function writeSnippet(language, { url, model, body }, { shortened = false } = {}) {
  const nothing = language === "python" ? "None" : "null";
  return WRITERS[language]({ url, model, json: writeBody(body, shortened, nothing) });
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
