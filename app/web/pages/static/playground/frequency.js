// A frequency that differs from that of the series: the error, and two remedies.

import { create, element } from "../dom.js";
import { showError } from "./messages.js";
import { frequencyDefect } from "./settings.js";

/** The period whose totals a frequency is of, as the service names it. */
const PERIODS = { Daily: "day", Weekly: "week", Monthly: "month" };

/**
 * Return whether the frequency that is chosen is that of the series; else offer to choose that, or to combine values.
 *
 * @param {import("./state.js").PlaygroundState} playground
 */
export function checkFrequency(playground) {
  const { reading } = playground.data;
  const defect = reading.frequency && frequencyDefect(reading);
  if (!defect) return true;
  const { value } = element("frequency");
  const { choices = [] } = reading.questions.find(({ parameter }) => parameter === "per") ?? {};
  const choice = choices.find(({ value: per }) => per.startsWith(`${PERIODS[value]}-`));
  const button = (text, act) => {
    const onclick = () => {
      act();
      playground.run();
    };
    return create("button", { type: "button", className: "link", onclick }, text);
  };
  const change = () => {
    element("frequency").value = reading.frequency;
    playground.current().refresh();
  };
  const ways = [button(`Choose ${reading.frequency}`, change)];
  if (choice) ways.push(" or ", button(`forecast ${choice.meaning}`, () => playground.data.combine(choice.value)));
  showError("frequency", `${defect} `, ...ways, ".");
  return false;
}
