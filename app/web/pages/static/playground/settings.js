// The settings of a forecast, and what is wrong with them before anything is sent.

import { element } from "../dom.js";
import { chosenHolidays, defectOfHolidays } from "./holidays.js";
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
export function defectsOfSettings() {
  const defects = {
    horizon: defectOf(element("horizon")),
    confidence: defectOf(element("confidence")),
    holidays: defectOfHolidays(),
  };
  return Object.entries(defects).filter(([, defect]) => defect);
}

/** Whether the settings can be sent; what is wrong is shown beside its control. */
export function areSettingsSound() {
  const wrong = defectsOfSettings();
  for (const [id, defect] of wrong) showError(id, defect);
  return wrong.length === 0;
}

/** What is wrong with a series that is shorter than the service takes, "" for nothing. */
export function defectOfLength({ length }, min) {
  return length < min ? `${countOf(length, "point")}: send ${min} or more.` : "";
}

/** What is wrong with the frequency that is chosen for a series, "" for nothing. */
export function defectOfFrequency({ frequency, points }) {
  if (points.length > 1 && !frequency) return "The dates are irregular: no frequency fits them.";
  const chosen = element("frequency").value;
  return frequency && frequency !== chosen ? `The series is ${frequency}, not ${chosen}.` : "";
}

/** What is wrong with a number that was typed, "" for nothing. */
function defectOf({ id, valueAsNumber: value, min, max }) {
  const isWithin = value >= Number(min) && value <= Number(max);
  if (id === "confidence") return isWithin ? "" : `Type a number from ${min} to ${max}, in percent.`;
  return isWithin && Number.isInteger(value) ? "" : `Type a whole number from ${min} to ${max}.`;
}

function numberIn(id) {
  const { valueAsNumber, value } = element(id);
  return Number.isFinite(valueAsNumber) ? valueAsNumber : value || null;
}
