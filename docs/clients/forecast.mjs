// Forecast a series by JavaScript's own fetch (Node 18 or newer), and wait when the service asks to.
//
//   FORECAST_URL=https://forecast.example.com FORECAST_KEY=ak_… \
//     node docs/clients/forecast.mjs docs/examples/airline-passengers.json forecast-model-2
//
// For servers: a key does not belong into a page that others load.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";

const ATTEMPTS = 6;
const MAX_WAIT_SECONDS = 180; // if a day's limit is used up, fail instead of waiting
const COME_AGAIN = [429, 500, 502, 503, 504];

/**
 * Forecast the series of a request.
 *
 * @param {object} request series, forecast_horizon, data_frequency, forecast_frequency, confidence
 * @param {string} model forecast-model-1 to forecast-model-4
 * @returns {Promise<{timestamp: string, lower: number, median: number, upper: number}[]>}
 * @throws {Error} the service does not take the request, or still fails after some attempts;
 *     `cause` is the error of its answer
 */
export async function forecast(request, model = "forecast-model-1") {
  const answer = await send(request, model);
  return answer.forecast_timestamps.map((timestamp, period) => ({
    timestamp,
    lower: answer.lower_bound[period],
    median: answer.median[period],
    upper: answer.upper_bound[period],
  }));
}

async function send(request, model) {
  const url = process.env.FORECAST_URL ?? "http://127.0.0.1:8000";
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(`${url}/forecast`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${process.env.FORECAST_KEY}`,
        "Content-Type": "application/json",
        "X-Model-Id": model,
      },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(60_000),
    });
    const body = await response.json();
    if (response.ok) return body;
    const { message, details = {} } = body.error;
    const wait = secondsToWait(response, attempt);
    const again = COME_AGAIN.includes(response.status) && wait <= MAX_WAIT_SECONDS;
    if (!again || attempt === ATTEMPTS - 1) {
      const where = details.field ? ` (${details.field})` : "";
      throw new Error(`${response.status}${where}: ${details.issue ?? message}`, {
        cause: body.error,
      });
    }
    await sleep(1000 * wait);
  }
}

/** What the service says, and at least 1, 2, 4, … s; a bit more, so that clients spread. */
function secondsToWait(response, attempt) {
  const told = Number(response.headers.get("Retry-After") ?? 0);
  return Math.max(told, 2 ** attempt) + Math.random();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [path, model] = process.argv.slice(2);
  if (!path || !existsSync(path)) {
    console.error(`name the JSON file of a request: there is no ${path ?? "argument"}`);
    process.exit(2);
  }
  const request = JSON.parse(await readFile(path, "utf8"));
  for (const { timestamp, lower, median, upper } of await forecast(request, model)) {
    console.log([timestamp, lower, median, upper].join(","));
  }
}
