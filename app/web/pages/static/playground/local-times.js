// Timestamps in UTC, shown in the time zone of the table.

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/**
 * Make a function that brings a timestamp in UTC to the clock of a table: `2024-06-01T00:00:00`.
 *
 * @param {{timezone: string|null, date_form: {suffix: string}|null}} chosen of POST /read
 * @returns {((timestamp: string) => string)|null} null where timestamps are shown as they came
 */
export function localClock({ timezone, date_form: form }) {
  if (!timezone || form?.suffix) return null;
  // Swedish times are written as ISO 8601 does.
  const format = new Intl.DateTimeFormat("sv", { timeZone: timezone, dateStyle: "short", timeStyle: "medium" });
  return (timestamp) => (UTC.test(timestamp) ? format.format(new Date(timestamp)).replace(" ", "T") : timestamp);
}

/** A response with its timestamps in the time zone of the table. */
export function inLocalTime(clock, body) {
  return JSON.parse(JSON.stringify(body), (_, value) => (typeof value === "string" ? clock(value) : value));
}
