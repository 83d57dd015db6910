// POST /tables/forecast: the forecasts of a whole table, of more periods than POST /forecast takes.

import { BOUNDS } from "./sentence.js";

/**
 * The request for the forecasts of all series of a table.
 *
 * @param {string} url
 * @param {{content: string|ArrayBuffer, parameters: Record<string, string>}} source the table, and how it is read
 * @param {{horizon: any, confidence: any, holidays: string}} settings
 * @param {{model: string, type: string, more?: Record<string, string>}} wanted `type` of the response
 */
export function tableRequest(url, { content, parameters }, settings, { model, type, more = {} }) {
  const { horizon, confidence, holidays } = settings;
  const query = { ...parameters, horizon, confidence, model, ...(holidays ? { holidays } : {}), ...more };
  return { url: `${url}?${new URLSearchParams(query)}`, headers: { Accept: type }, content };
}

/**
 * The forecast of one series of a table, as POST /forecast responds to the values that are shown.
 *
 * @param {import("./request.js").Received} received
 * @param {import("./reading.js").Reading} reading of the series
 * @returns {import("./request.js").Received}
 */
export function forecastOfSeries(received, { name, scale }) {
  if (received.status !== 200) return received;
  const forecast = received.body.series.find((series) => series.name === name);
  if (forecast.problem) {
    const details = { field: "series", issue: forecast.problem };
    return { ...received, status: 422, body: { error: { details } } };
  }
  const scaled = Object.fromEntries(BOUNDS.map((bound) => [bound, forecast[bound].map(scale)]));
  return { ...received, body: { ...forecast, ...scaled }, notice: forecast.notices.join("; ") || null };
}
