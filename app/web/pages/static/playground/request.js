// The service's API as the pages use it.

/** The body of POST /forecast. */
export function forecastBody(points, { horizon, frequency, confidence }) {
  return {
    series: [seriesColumns(points)],
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
    series: [seriesColumns(points)],
    data_frequency: frequency,
    detect,
    false_alarm_rate: rate,
    direction,
  };
}

function seriesColumns(points) {
  return {
    timestamps: points.map(({ sent }) => sent),
    values: points.map(({ value }) => value),
  };
}

/**
 * Send a request: POST, or GET where it has no body. The key goes into the header of this one request and nowhere else.
 *
 * @param {{url: string, headers?: object, body?: object, content?: string|ArrayBuffer}} request `content`: text, or the
 *     bytes of a file, instead of JSON
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
export async function sendRequest({ url, headers, body, content }, key) {
  const all = { Authorization: `Bearer ${key}`, ...headers };
  if (body) all["Content-Type"] = "application/json";
  else if (content) all["Content-Type"] = typeof content === "string" ? "text/plain" : "application/octet-stream";
  const started = performance.now();
  try {
    const response = await fetch(url, {
      method: body || content ? "POST" : "GET",
      headers: all,
      body: content ?? JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
    });
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    const received = await (isJson ? response.json() : response.blob()).catch(() => null);
    return receivedResponse(response, received, performance.now() - started);
  } catch {
    return { status: 0, body: null, notice: null, retryAfter: null, limits: null, requestId: null };
  }
}

function receivedResponse(response, body, milliseconds) {
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
