// The forecasts of several series in one file, in the form of their table: wide or long.

import { formatCivil } from "./civil.js";

const BOUNDS = ["lower_bound", "median", "upper_bound"];
const UNNAMED = /^Column \d+$/;
const BLANK = ["", "", "", ""];

/**
 * @typedef {object} Entry
 * @property {import("./reading.js").Reading} reading
 * @property {import("./about.js").About} about
 * @property {object|null} forecast response of POST /forecast
 */

/**
 * History and forecasts, dates as they are in the table.
 *
 * @param {Entry[]} entries
 * @returns {{columns: string[], rows: any[][]}}
 */
export function fileOfSeveral(entries) {
  const { chosen, valueName } = entries[0].reading;
  const date = chosen.dates && !UNNAMED.test(chosen.dates) && !chosen.dates.includes(", ") ? chosen.dates : "timestamp";
  if (chosen.names) {
    const columns = [chosen.names, date, valueName || "value", ...BOUNDS];
    return { columns, rows: entries.flatMap((entry) => linesOf(entry).map(({ cells, day }) => [entry.reading.name, day, ...cells])) };
  }
  const columns = entries.flatMap(({ reading: { name } }) => [name, ...BOUNDS.map((bound) => `${name}_${bound}`)]);
  return { columns: [date, ...columns], rows: sideBySide(entries) };
}

/** A line for each date that any of the series has. */
function sideBySide(entries) {
  const lines = new Map();
  entries.forEach((entry, place) => {
    for (const { timestamp, day, cells } of linesOf(entry)) {
      if (!lines.has(timestamp)) lines.set(timestamp, { day, parts: entries.map(() => BLANK) });
      lines.get(timestamp).parts[place] = cells;
    }
  });
  const order = [...lines.keys()].sort();
  return order.map((timestamp) => {
    const { day, parts } = lines.get(timestamp);
    return [day, ...parts.flat()];
  });
}

function linesOf({ reading, about, forecast }) {
  const line = (timestamp, cells) => ({ timestamp, day: about.writeDate(timestamp), cells });
  return [
    ...reading.points.map(({ seconds, suffix, value }) => line(formatCivil(seconds) + suffix, [value, "", "", ""])),
    ...(forecast?.forecast_timestamps ?? []).map((timestamp, i) =>
      line(timestamp, ["", ...BOUNDS.map((bound) => about.figures.round(forecast[bound][i]))]),
    ),
  ];
}
