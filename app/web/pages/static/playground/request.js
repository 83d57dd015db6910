// The service's API as the pages use it.

import { formatCivil } from "./civil.js";

/** The body of POST /forecast. */
export function forecastBody(points, { horizon, frequency, confidence }) {
  return {
    series: [columns(points)],
    forecast_horizon: horizon,
    data_frequency: frequency,
    forecast_frequency: frequency,
    confidence,
  };
}

/** The header that names whose holidays to use; nothing where none are named. */
export function holidaysHeader({ holidays }) {
  return holidays ? { "X-Holidays": holidays } : {};
}

/** The body of POST /anomalies. */
export function anomaliesBody(points, { frequency, detect, rate, direction }) {
  return {
    series: [columns(points)],
    data_frequency: frequency,
    detect,
    false_alarm_rate: rate,
    direction,
  };
}

function columns(points) {
  return {
    timestamps: points.map(({ seconds, suffix }) => formatCivil(seconds) + suffix),
    values: points.map(({ value }) => value),
  };
}

/**
 * Send a request: POST, or GET where it has no body. The key goes into the header of this one request and nowhere else.
 *
 * @param {{url: string, headers?: object, body?: object}} request
 * @param {string} key
 * @returns {Promise<Received>}
 *
 * @typedef {object} Received
 * @property {number} status 0 where the service could not be reached
 * @property {any} [body]
 * @property {string|null} [notice]
 * @property {number|null} [retryAfter] in seconds
 * @property {{limit: number, remaining: number, reset: number}|null} [limits] reset in epoch seconds
 * @property {string|null} [requestId]
 * @property {number} [milliseconds]
 */
export async function send({ url, headers, body }, key) {
  const all = { Authorization: `Bearer ${key}`, ...headers };
  if (body) all["Content-Type"] = "application/json";
  const started = performance.now();
  try {
    const response = await fetch(url, {
      method: body ? "POST" : "GET",
      headers: all,
      body: JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
    });
    const content = await response.json().catch(() => null);
    return describe(response, content, performance.now() - started);
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
