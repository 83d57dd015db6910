// The settings of a forecast, and what is wrong with them before anything is sent.

import { element } from "../dom.js";
import { chosenHolidays, holidaysDefect } from "./holidays.js";
import { showError } from "./messages.js";
import { countOf } from "../words.js";

export const SETTINGS_CHANGED = "The settings have changed since.";

/** What is typed, as JSON has it. */
export function settings() {
  const confidence = numberIn("confidence");
  return {
    horizon: numberIn("horizon"),
    frequency: element("frequency").value,
    confidence: typeof confidence === "number" ? confidence / 100 : confidence,
    holidays: chosenHolidays(),
  };
}

/** What is wrong with the settings: controls and words. */
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

/** What is wrong with a series that is shorter than the service takes, "" for nothing. */
export function lengthDefect({ length }, min) {
  return length < min ? `${countOf(length, "value")}: ${min} or more are needed.` : "";
}

/** What is wrong with the frequency that is chosen for a series, "" for nothing. */
export function frequencyDefect({ frequency, points }) {
  if (points.length > 1 && !frequency) return "The dates are irregular: no frequency fits them.";
  const chosen = element("frequency").value;
  return frequency && frequency !== chosen ? `The series is ${frequency}, not ${chosen}.` : "";
}

/** What is wrong with a number that was typed, "" for nothing. */
function numberDefect({ id, valueAsNumber: value, min, max }) {
  const isWithin = value >= Number(min) && value <= Number(max);
  if (id === "confidence") return isWithin ? "" : `Type a number from ${min} to ${max}, in percent.`;
  return isWithin && Number.isInteger(value) ? "" : `Type a whole number from ${min} to ${Number(max).toLocaleString("en")}.`;
}

function numberIn(id) {
  const { valueAsNumber, value } = element(id);
  return Number.isFinite(valueAsNumber) ? valueAsNumber : value || null;
}
