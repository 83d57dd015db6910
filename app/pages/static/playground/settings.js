// What the controls of a forecast hold, and what is wrong with it before anything is sent.

import { showError } from "./messages.js";

const element = (id) => document.getElementById(id);

/** What is typed, as JSON has it; the example of code shows it even where it cannot be sent. */
export function settings() {
  const confidence = numberIn("confidence");
  return {
    horizon: numberIn("horizon"),
    frequency: element("frequency").value,
    confidence: typeof confidence === "number" ? confidence / 100 : confidence,
  };
}

/** Whether the settings can be sent; what is wrong is shown beside its control. */
export function areSettingsSound() {
  const wrong = ["horizon", "confidence"].filter((id) => defectOf(element(id)));
  for (const id of wrong) showError(id, defectOf(element(id)));
  return wrong.length === 0;
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
