// A detection in words and numbers: legend, table, file.

import { countKinds } from "../charts/anomaly-layers.js";
import { legendEntry } from "../charts/legend.js";
import { countOf, describeRate, formatNumber, chanceText } from "../words.js";

const TABLE_ROWS = 200;
const BY_CHANCE = ". By chance: how often a normal point is as far from the expected value";
const PROBABILITY_DIGITS = 4;
const FILE_COLUMNS = [
  ...["timestamp", "value", "lower_bound", "expected", "upper_bound"],
  ...["p_value", "severity", "is_anomaly"],
];

/**
 * @param {import("./anomalies-tab.js").Detection|null} detection
 * @param {number} rate that is shown, which may be another than that of the response
 * @param {import("./figures.js").Figures} figures
 */
export function legendOf(detection, rate, { localize }) {
  const series = legendEntry("history", "Values", "");
  if (!detection) return [series];
  const { response, requestedRate, flagged, notice } = detection;
  const preview = requestedRate === rate ? "" : ", redrawn from the last response";
  const { periods } = response;
  const seasons = periods.length > 0 ? `seasons of ${periods.join(" and ")} points` : "no season";
  const band = `${localize(describeRate(rate))}${preview}; ${seasons}`;
  const count = flagged.filter(Boolean).length;
  const chance = localize(formatNumber(flagged.length * rate, 2));
  const alarms = `${count} of ${localize(countOf(flagged.length, "point"))}; in a usual series about ${chance}`;
  const changes = response.change_points.length;
  return [
    series,
    legendEntry("band", "Expected, in its band", band, notice),
    legendEntry("flag", "Flagged", alarms),
    ...(response.events.length > 0 ? [legendEntry("event", "Events", countKinds(response.events))] : []),
    ...(changes > 0 ? [legendEntry("change", "Level", countOf(changes, "change point"))] : []),
  ];
}

/** The flagged points, the most severe if there are many; with `last` always the last point. */
export function tableOf({ response, requestedRate, values }, format) {
  const all = [...values.keys()];
  const flagged = all.filter((i) => response.is_anomaly[i]);
  const listed = all.length === 1 ? all : flagged;
  const bySeverity = [...listed].sort((a, b) => response.severity[b] - response.severity[a]);
  const worst = bySeverity.slice(0, TABLE_ROWS);
  const rate = format.figures.localize(describeRate(requestedRate));
  const cut = worst.length < listed.length ? `, the ${TABLE_ROWS} most severe of ${listed.length}` : "";
  return {
    caption: all.length === 1
      ? `The last point, ${flagged.length ? "" : "not "}flagged at ${rate}${BY_CHANCE}`
      : `Points flagged at ${rate}${cut}${BY_CHANCE}`,
    first: "Point",
    groups: [{ name: "", columns: ["Value", "Lower", "Expected", "Upper", "By chance", "Severity"] }],
    rows: worst.sort((a, b) => a - b).map((i) => [
      format.showDate(response.timestamps[i]),
      ...[values, response.lower_bound, response.expected, response.upper_bound].map((column) =>
        format.figures.write(column[i]),
      ),
      format.figures.localize(chanceText(response.p_value[i])),
      format.figures.localize(formatNumber(response.severity[i])),
    ]),
  };
}

/** All judged points, with dates and numbers as in the data. */
export function fileOf({ response, values }, format) {
  const { round } = format.figures;
  const rounded = (name) => response[name].map((value) => (value === null ? "" : round(value)));
  const columns = {
    ...response,
    timestamp: response.timestamps.map(format.writeDate),
    value: values,
    lower_bound: rounded("lower_bound"),
    expected: rounded("expected"),
    upper_bound: rounded("upper_bound"),
    p_value: response.p_value.map((p) => (p === null ? "" : Number(p.toPrecision(PROBABILITY_DIGITS)))),
  };
  return {
    name: "anomalies",
    columns: FILE_COLUMNS.map((name) => (name === "value" && format.valueName) || name),
    rows: values.map((_, i) => FILE_COLUMNS.map((name) => columns[name][i])),
  };
}
