// The service's API as this page uses it.

import { formatCivil } from "./civil.js";

/** The body of POST /forecast. */
export function requestBody(points, { horizon, frequency, confidence }) {
  return {
    series: [
      {
        timestamps: points.map(({ seconds, suffix }) => formatCivil(seconds) + suffix),
        values: points.map(({ value }) => value),
      },
    ],
    forecast_horizon: horizon,
    data_frequency: frequency,
    forecast_frequency: frequency,
    confidence,
  };
}

/**
 * Ask for a forecast. The key goes into the header of this one request and nowhere else.
 *
 * @returns {Promise<Answer>}
 *
 * @typedef {object} Answer
 * @property {number} status 0 where the service could not be reached
 * @property {object|null} body
 * @property {string|null} notice
 * @property {number|null} retryAfter in seconds
 * @property {{limit: number, remaining: number, reset: number}|null} limits reset in epoch seconds
 * @property {string|null} requestId
 * @property {number} milliseconds
 */
export async function requestForecast(url, body, model, key) {
  const headers = { "Content-Type": "application/json", "X-Model-Id": model };
  if (key) headers.Authorization = `Bearer ${key}`;
  const started = performance.now();
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
    });
    const answer = await response.json().catch(() => null);
    return describe(response, answer, performance.now() - started);
  } catch {
    return { status: 0, body: null, notice: null, retryAfter: null, limits: null, requestId: null };
  }
}

function describe(response, body, milliseconds) {
  const { headers } = response;
  const number = (name) => (headers.has(name) ? Number(headers.get(name)) : null);
  return {
    status: response.status,
    body,
    notice: headers.get("X-Forecast-Notice"),
    retryAfter: number("Retry-After"),
    limits: {
      limit: number("X-RateLimit-Limit"),
      remaining: number("X-RateLimit-Remaining"),
      reset: number("X-RateLimit-Reset"),
    },
    requestId: headers.get("X-Request-Id"),
    milliseconds: Math.round(milliseconds),
  };
}
