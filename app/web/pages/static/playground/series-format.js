// The format of responses about a series: the digits, the unit and the dates of its table.

import { areMonthEnds } from "../charts/month-ends.js";
import { shortenTimestamp } from "../words.js";
import { figuresOf } from "./figures.js";

const DAY_OF_MONTH = /^(\d{4}-\d\d-(\d\d))T00:00:00/;
const monthName = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });

/**
 * @typedef {object} SeriesFormat
 * @property {string} dateName what the dates are called, or ""
 * @property {string} valueName what the values are called, or ""
 * @property {import("./figures.js").Figures} figures
 * @property {number} step between two points, in units
 * @property {string} noun of the unit
 * @property {(timestamp: string) => string} writeDate as the dates are pasted, or briefly
 * @property {(timestamp: string) => string} showDate to a reader: serial numbers and epochs as dates
 * @property {(timestamp: string) => string} namePeriod in a sentence
 */

/**
 * @param {import("./reading.js").Reading} reading
 * @param {{frequency: string, noun: string}} unit that is chosen
 * @returns {SeriesFormat}
 */
export function describeSeries(reading, { frequency, noun }) {
  const { dateName, valueName } = reading;
  const writeDate = (timestamp) => {
    const written = reading.writeDate(timestamp);
    return written === timestamp ? shortenTimestamp(timestamp) : written;
  };
  const showDate = (timestamp) =>
    reading.hasDatesAsNumbers ? shortenTimestamp(timestamp) : writeDate(timestamp);
  const step = reading.frequency === frequency ? reading.step : 1;
  const isNamedWeek = frequency === "Weekly" && step === 1 && !reading.chosen?.date_form?.pattern.includes("{week");
  return {
    dateName,
    valueName,
    figures: figuresOf(reading),
    step,
    noun,
    writeDate,
    showDate,
    namePeriod: (timestamp) => {
      const [, date, day] = (frequency === "Monthly" && DAY_OF_MONTH.exec(timestamp)) || [];
      if (day === "01" || (day && areMonthEnds(reading))) return monthName.format(new Date(date));
      return `${isNamedWeek ? "week of " : ""}${showDate(timestamp)}`;
    },
  };
}
