// The settings of a forecast, and their checks before a request.

import { element } from "../dom.js";
import { chosenHolidays, holidaysDefect } from "./holidays.js";
import { showError } from "./messages.js";
import { countOf } from "../words.js";

export const SETTINGS_CHANGED = "The settings have changed since.";

/** The typed settings, as values for JSON. */
export function readSettings() {
  const confidence = typedNumber("confidence");
  return {
    horizon: typedNumber("horizon"),
    frequency: element("frequency").value,
    confidence: typeof confidence === "number" ? confidence / 100 : confidence,
    holidays: chosenHolidays(),
  };
}

/** The problems of the settings, as pairs of control and text. */
export function settingsDefects() {
  const defects = {
    horizon: numberDefect(element("horizon")),
    confidence: numberDefect(element("confidence")),
    holidays: holidaysDefect(),
  };
  return Object.entries(defects).filter(([, defect]) => defect);
}

/** Return whether the settings can be sent; show what is wrong beside its control. */
export function checkSettings() {
  const wrong = settingsDefects();
  for (const [id, defect] of wrong) showError(id, defect);
  return wrong.length === 0;
}

/** The problem of a series that is too short, "" for none. */
export function lengthDefect({ length }, min) {
  return length < min ? `${countOf(length, "value")}: ${min} or more are needed.` : "";
}

/** The problem of a series without a frequency, "" for none. */
export function irregularDefect({ frequency, points }) {
  return points.length > 1 && !frequency ? "The dates are irregular: no frequency fits them." : "";
}

/** The problem of the chosen frequency for a series, "" for none. */
export function frequencyDefect({ frequency, points }) {
  const chosen = element("frequency").value;
  if (frequency && frequency !== chosen) return `The series is ${frequency}, not ${chosen}.`;
  return irregularDefect({ frequency, points });
}

/** The problem of a typed number, "" for none. */
function numberDefect({ id, valueAsNumber: value, min, max }) {
  const isWithin = value >= Number(min) && value <= Number(max);
  if (id === "confidence") return isWithin ? "" : `Type a number from ${min} to ${max}, in percent.`;
  if (isWithin && Number.isInteger(value)) return "";
  return `Type a whole number from ${min} to ${Number(max).toLocaleString("en")}.`;
}

function typedNumber(id) {
  const { valueAsNumber, value } = element(id);
  return Number.isFinite(valueAsNumber) ? valueAsNumber : value || null;
}
